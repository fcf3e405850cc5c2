// Tests that the viewer command serves only the named files, and only to this machine.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { serveViewer } from '../cli/serve.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';

async function served(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const file = path.join(directory, 'log 1.ndjson');
  await writeFile(file, 'the log\n');
  const files = new Map([['log 1.ndjson', file]]);
  const key = 'ab'.repeat(32);
  const server = await serveViewer('<p>viewer</p>', { files, key, anchors: ['a note'], port: 0 });
  t.after(server.close);
  return new URL(server.url);
}

describe('gw history view', () => {
  it('serves the viewer, the file and what was kept, and names them in the address', async (t) => {
    const url = await served(t);
    assert.equal(url.hostname, '127.0.0.1');
    assert.deepEqual(url.searchParams.getAll('file'), ['log 1.ndjson']);
    assert.equal(url.searchParams.get('key'), 'ab'.repeat(32));
    const page = await fetch(url);
    assert.equal(await page.text(), '<p>viewer</p>');
    assert.equal(page.headers.get('content-security-policy'), "frame-ancestors 'none'");
    assert.equal(await (await fetch(new URL('/files/log%201.ndjson', url))).text(), 'the log\n');
    assert.equal(await (await fetch(new URL('/kept', url))).text(), '{"checkpoint":"a note"}\n');
  });

  it('serves nothing that was not named', async (t) => {
    const url = await served(t);
    const others = ['/files/passwd', '/files/..%2Fpasswd', '/files/', '/files/%', '//', '/other'];
    for (const name of others) {
      assert.equal((await fetch(url.origin + name)).status, 404, name);
    }
    assert.equal((await fetch(url, { method: 'POST' })).status, 403);
  });

  it('answers no page of elsewhere whose name leads here', async (t) => {
    const { port } = await served(t);
    const asked = request({
      port,
      host: '127.0.0.1',
      headers: { host: `rebound.example:${port}` },
    });
    asked.end();
    const [answer] = await once(asked, 'response');
    assert.equal(answer.statusCode, 403);
    answer.resume();
  });

  it('says what is missing', async () => {
    const { code, stderr } = await gw(['history', 'view']);
    assert.deepEqual(
      [code, stderr],
      [2, 'gw: give the path of an export or of an evidence pack\n'],
    );
  });
});
