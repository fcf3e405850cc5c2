// Tests that a price source is read from a URL or a file within limits. Errors name the cause
// without the address.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import { createEgress } from '../../../src/egress/egress.ts';
import { readAggregatorPrices } from '../../../src/control/prices/price-list.ts';
import { readPriceSource } from '../../../src/control/prices/price-source.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { fileServer } from '../../harness/upstream/file-server.ts';

const listOf = (names: readonly string[], next: string | null = null): string =>
  JSON.stringify({
    data: names.map((id) => ({ id, pricing: { prompt: '0.000001', completion: '0.000002' } })),
    links: { next },
  });

function reader(test: TestContext, limitMs = 10_000) {
  const { dispatcher } = createEgress({ allow: [], deny: ['127.0.0.9'] });
  test.after(() => dispatcher.destroy());
  return (place: string) =>
    readPriceSource(place, {
      dispatcher,
      read: readAggregatorPrices,
      signal: AbortSignal.timeout(limitMs),
    });
}

async function namesIn(read: ReturnType<ReturnType<typeof reader>>) {
  const answer = await read;
  assert.ok(!isRefusal(answer), JSON.stringify(answer));
  return [...answer.entries.keys()];
}

async function reasonOf(read: ReturnType<ReturnType<typeof reader>>) {
  const answer = await read;
  assert.ok(isRefusal(answer));
  assert.equal(answer.refused, 'upstream');
  return answer.message;
}

describe('a price source', () => {
  it('is read with all its pages', async (t) => {
    const { url, asked } = await fileServer(t, {
      '/models': listOf(['a'], '/models?page=2'),
      '/models?page=2': listOf(['a', 'b']),
    });
    assert.deepEqual(await namesIn(reader(t)(`${url}/models`)), ['a', 'b']);
    assert.deepEqual(asked, ['/models', '/models?page=2']);
  });

  it('continues on its own host only, up to a maximum', async (t) => {
    const other = await fileServer(t, { '/models': listOf(['c']) });
    const { url, asked } = await fileServer(t, {
      '/away': listOf(['a'], `${other.url}/models`),
      '/circle': listOf(['a'], '/circle'),
    });
    assert.deepEqual(await namesIn(reader(t)(`${url}/away`)), ['a']);
    assert.deepEqual(other.asked, []);
    assert.deepEqual(await namesIn(reader(t)(`${url}/circle`)), ['a']);
    assert.equal(asked.length, 21);
  });

  it('may be a file, by path or by URL', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gw-prices-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'models.json');
    await writeFile(file, listOf(['a'], '/etc/passwd'));
    assert.deepEqual(await namesIn(reader(t)(file)), ['a']);
    assert.deepEqual(await namesIn(reader(t)(pathToFileURL(file).href)), ['a']);
    assert.match(await reasonOf(reader(t)(folder)), /not a file/);
    assert.match(await reasonOf(reader(t)(path.join(folder, 'absent'))), /ENOENT/);
    await writeFile(file, 'x'.repeat(9 * 1024 * 1024));
    assert.match(await reasonOf(reader(t)(file)), /longer than/);
  });

  it('is refused with the cause when it is malformed, empty, too long, missing or elsewhere', async (t) => {
    const { url, asked } = await fileServer(t, {
      '/page': '<html>',
      '/empty': listOf([]),
      '/long': listOf(['x'.repeat(9 * 1024 * 1024)]),
      '/broken': { status: 500, text: 'not repeated' },
      '/moved': { status: 302, text: '' },
    });
    for (const [place, reason] of [
      ['/page', /not a price list/],
      ['/empty', /contains no prices/],
      ['/long', /longer than/],
      ['/broken', /^it responded with status 500$/],
      ['/moved', /^it responded with status 302$/],
      ['/absent', /^it responded with status 404$/],
    ] as const) {
      assert.match(await reasonOf(reader(t)(url + place)), reason);
    }
    assert.equal(asked.length, 6);
    const secret = await reasonOf(reader(t)('http://user:word@127.0.0.1:1/x'));
    assert.match(secret, /ECONNREFUSED/);
    assert.doesNotMatch(secret, /word/);
    assert.match(
      await reasonOf(reader(t)('http://169.254.169.254/x')),
      /is not an allowed egress destination/,
    );
    assert.match(
      await reasonOf(reader(t)('http://127.0.0.9/x')),
      /is not an allowed egress destination/,
    );
  });

  it('times out', async (t) => {
    const { url } = await fileServer(t, { '/silent': null });
    assert.match(await reasonOf(reader(t, 200)(`${url}/silent`)), /did not respond in time/);
  });
});
