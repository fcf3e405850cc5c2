// The snapshot cache is read back whole or not at all, and only with the token that sealed it.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { createSnapshotCache } from '../../../src/gateway/control-link/cache.ts';
import { firstEdition } from '../../../src/snapshot/delta/edition.ts';
import type { Edition } from '../../../src/snapshot/delta/edition.ts';
import { deltaBetween, pagedOf } from '../../harness/gateway/editions.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';

async function directory() {
  const path = await mkdtemp(join(tmpdir(), 'gw-cache-'));
  return {
    file: join(path, 'deep', 'snapshot.json'),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

const backends = [{ apiBase: 'http://one/v1', credential: 'very secret' }];
const version = (number: number) => ({
  snapshot: givenSnapshot({ version: number, models: { m: { backends } }, keys: { key: {} } }),
  seen: [{ log_id: 'test', version: number, position: number, hash: `hash ${number}` }],
});

const cacheAt = (path: string, proxyToken = 'token-of-sixteen') =>
  createSnapshotCache({ path, secret: proxyToken });

const editionAt = (number: number): Edition => firstEdition(pagedOf(version(number).snapshot));
const change = (from: number, to: number) => {
  const delta = deltaBetween(editionAt(from), editionAt(to));
  const { base, root } = delta;
  return { delta: JSON.parse(JSON.stringify(delta)), seen: version(to).seen, base, root };
};
/** The form that is written, with its root. */
const whole = (number: number) => ({ ...version(number), root: editionAt(number).root });

describe('the snapshot cache', () => {
  it('returns what was written, sealed and readable only by the owner', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    assert.deepEqual(await cache.read(), { cached: version(1), refused: [] });
    assert.equal((await stat(place.file)).mode & 0o777, 0o600);
    assert.doesNotMatch(await readFile(place.file, 'latin1'), /very secret|provider/);
  });

  it('returns a large snapshot, which is written in parts', async () => {
    await using place = await directory();
    const names = Array.from({ length: 2_001 }, (_, at) => [`key-${at}`, {}]);
    const keys = Object.fromEntries(names);
    const snapshot = givenSnapshot({ version: 1, models: { m: { backends } }, keys });
    await cacheAt(place.file).write({ snapshot, seen: [], root: null });
    assert.deepEqual((await cacheAt(place.file).read()).cached, { snapshot, seen: [] });
  });

  it('is empty before the first write', async () => {
    await using place = await directory();
    const { cached, refused } = await cacheAt(place.file).read();
    assert.equal(cached, null);
    assert.equal(refused.length, 2);
  });

  it('falls back to the previous version, then to none', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await cache.write(whole(2));
    assert.equal((await cache.read()).cached?.snapshot.version, 2);
    await writeFile(place.file, (await readFile(place.file)).subarray(0, -5));
    const { cached, refused } = await cache.read();
    assert.equal(cached?.snapshot.version, 1);
    assert.match(refused[0] ?? '', /damaged, modified, or encrypted/);
    await writeFile(`${place.file}.1`, '');
    assert.equal((await cache.read()).cached, null);
  });

  it('refuses a file that another token sealed', async () => {
    await using place = await directory();
    await cacheAt(place.file).write(whole(1));
    assert.equal((await cacheAt(place.file, 'another-token-16').read()).cached, null);
  });

  it('refuses a file in which any byte was changed', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    const bytes = await readFile(place.file);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const damaged = Buffer.from(bytes);
          damaged[at] = (damaged[at] ?? 0) ^ by;
          await writeFile(place.file, damaged);
          assert.equal((await cache.read()).cached, null);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('does not follow a link', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await symlink(place.file, `${place.file}.link`);
    assert.equal((await cacheAt(`${place.file}.link`).read()).cached, null);
  });

  it('throws if a write fails, and leaves the old file intact', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await symlink('/nonexistent/elsewhere', `${place.file}.tmp`);
    await assert.rejects(cache.write(whole(2)));
    assert.equal((await cache.read()).cached?.snapshot.version, 1);
  });
});

describe('an appended delta', () => {
  it('gives the later snapshot after a restart, and more may follow', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    assert.equal(await cache.append(change(1, 2)), true);
    assert.deepEqual(await cache.read(), { cached: version(2), refused: [] });
    const restarted = cacheAt(place.file);
    assert.equal(await restarted.append(change(2, 3)), false, 'nothing was read');
    await restarted.read();
    assert.equal(await restarted.append(change(2, 3)), true);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(3));
    assert.doesNotMatch(await readFile(`${place.file}.deltas`, 'latin1'), /version|budgets/);
  });

  it('is cut off where a crash or damage left it, and the next one follows what is left', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await cache.append(change(1, 2));
    const first = (await stat(`${place.file}.deltas`)).size;
    await cache.append(change(2, 3));
    const bytes = await readFile(`${place.file}.deltas`);
    for (let length = 0; length <= bytes.length; length++) {
      await writeFile(`${place.file}.deltas`, bytes.subarray(0, length));
      const torn = cacheAt(place.file);
      const kept = length === bytes.length ? 3 : length >= first ? 2 : 1;
      assert.deepEqual((await torn.read()).cached, version(kept), `${length} bytes`);
      if (length % 97 !== 0) continue;
      await torn.append(change(kept, 4));
      assert.deepEqual((await cacheAt(place.file).read()).cached, version(4), `${length} bytes`);
    }
    for (let at = 0; at < bytes.length; at += 13) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await writeFile(`${place.file}.deltas`, damaged);
      const { cached } = await cacheAt(place.file).read();
      assert.deepEqual(cached, version(at < first ? 1 : 2), `byte ${at}`);
    }
  });

  it('of an earlier snapshot is ignored', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await cache.append(change(1, 2));
    await cache.write(whole(3));
    assert.deepEqual(await cacheAt(place.file).read(), { cached: version(3), refused: [] });
  });

  it('leads to the newest snapshot also from the previous file', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await cache.append(change(1, 2));
    await cache.append(change(2, 3));
    await cache.write(whole(3));
    await cache.append(change(3, 4));
    await writeFile(place.file, 'damaged');
    const restarted = cacheAt(place.file);
    const { cached, refused } = await restarted.read();
    assert.deepEqual(cached, version(4));
    assert.equal(refused.length, 1);
    assert.equal(await restarted.append(change(4, 5)), true);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(5));
  });

  it('is not lost when a crash interrupts the write of the whole snapshot', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await cache.append(change(1, 2));
    // The steps of a write, in order.
    await rename(`${place.file}.deltas`, `${place.file}.deltas.1`);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(2));
    const restarted = cacheAt(place.file);
    await restarted.read();
    assert.equal(await restarted.append(change(2, 3)), true);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(3));
    await rename(place.file, `${place.file}.1`);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(3));
  });

  it('is removed with its snapshot by the second write after it', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    await cache.append(change(1, 2));
    await cache.write(whole(2));
    await cache.write(whole(2));
    const files = await readdir(join(place.file, '..'));
    assert.deepEqual(files.toSorted(), ['snapshot.json', 'snapshot.json.1']);
    await writeFile(place.file, 'damaged');
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(2));
  });

  it('cannot follow a snapshot without a root, or with another', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write({ ...version(1), root: null });
    assert.equal(await cache.append(change(1, 2)), false);
    await cache.write(whole(1));
    assert.equal(await cache.append(change(2, 3)), false);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(1));
  });

  it('is not taken while another process writes to the file', async () => {
    await using place = await directory();
    const [ending, successor] = [cacheAt(place.file), cacheAt(place.file)];
    await ending.write(whole(1));
    assert.equal(await ending.append(change(1, 2)), true);
    await successor.read();
    assert.equal(await successor.append(change(2, 3)), true);
    assert.equal(await ending.append(change(2, 3)), false);
    assert.equal(await successor.append(change(3, 4)), true);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(4));
  });

  it('asks for the whole snapshot once the deltas are large', async () => {
    await using place = await directory();
    const cache = cacheAt(place.file);
    await cache.write(whole(1));
    const large = change(1, 2);
    const delta = { ...large.delta, padding: 'x'.repeat(300_000) };
    assert.equal(await cache.append({ ...large, delta }), false);
    assert.deepEqual((await cacheAt(place.file).read()).cached, version(2), 'it was added');
  });
});
