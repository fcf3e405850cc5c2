// Tests that the viewer opens evidence packs, and finds the same problems as deploy/verify.mjs.

import assert from 'node:assert/strict';
import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { makePack } from '../../../evidence/pack.ts';
import { isRefusal } from '../../../../src/lib/refusal.ts';
import { testAdministrator } from '../../../../test/harness/admin/admin.ts';
import {
  exported,
  nextAuditKey,
  signedPlane,
  verifyOffline,
} from '../../../../test/harness/control/signed-log.ts';
import { temporaryDirectory } from '../../../../test/harness/temporary-directory.ts';
import { answer } from '../log/answer.ts';
import { openExport } from '../log/open-export.ts';

const ends: (() => unknown)[] = [];
const file = {
  after: (end: unknown) => void (typeof end === 'function' && ends.push(() => end())),
};
after(async () => {
  for (const end of ends) await end();
});

let log = '';
let directory = '';
let pack = '';

before(async () => {
  const { plane } = await signedPlane(file);
  log = await exported(plane.db);
  directory = await temporaryDirectory(file);
  pack = path.join(directory, 'pack');
  const { reports: db, past, vault } = plane;
  const made = await makePack(
    { db, past, vault, appVersion: 'test', clock: Date.now },
    {
      from: { position: 3 },
      to: { position: plane.store.state().position - 1 },
      withPersonalData: false,
      directory: pack,
      keys: [nextAuditKey],
      settings: [],
    },
  );
  assert.ok(!isRefusal(made));
});

const none = { key: null, anchors: [] };

async function filesIn(place: string): Promise<readonly File[]> {
  const names = await readdir(place);
  return Promise.all(
    names.map(async (name) => new File([await readFile(path.join(place, name))], name)),
  );
}

/** deploy/verify.mjs reports an invalid checkpoint without the reason. */
const withoutDetail = (problem: string): string => problem.replace(/(?<=is forged): .*/, '');

describe('the viewer finds in a pack what deploy/verify.mjs finds', () => {
  /** Replacements for its files, by name. Null removes a file. */
  const altered: Readonly<
    Record<string, Readonly<Record<string, (text: string) => string | null>>>
  > = {
    nothing: {},
    'a file': { 'settings.ndjson': () => '{}\n' },
    'a file taken out': { 'README.txt': () => null },
    'a file too many': { 'more.txt': () => 'more' },
    'the log': { 'log.ndjson': (text) => text.replace('"events":', '"events":1') },
    'the manifest': { 'manifest.json': (text) => text.replace('made_at', 'made_On') },
    'the signature': {
      'manifest.sig': (text) => text.replace(/signature":"..../, 'signature":"AAAA'),
    },
  };
  for (const [name, files] of Object.entries(altered)) {
    it(`altered: ${name}`, async (t) => {
      const own = path.join(await temporaryDirectory(t), 'pack');
      await cp(pack, own, { recursive: true });
      for (const [file, alter] of Object.entries(files)) {
        const place = path.join(own, file);
        const text = alter(await readFile(place, 'utf8').catch(() => ''));
        await (text === null ? rm(place) : writeFile(place, text));
      }
      const { code, stdout } = await verifyOffline(own);
      const { summary } = await openExport(await filesIn(own), none, () => {});
      const problem = summary.pack?.problem ?? summary.finding?.problem ?? null;
      assert.equal(problem === null, code === 0, stdout);
      assert.equal(stdout.includes(problem ?? 'files match the manifest, signed'), true, stdout);
    });
  }

  it('with the key that signed it, and with checkpoints of later', async () => {
    const lines = log.split('\n').filter((line) => line.startsWith('{"checkpoint"'));
    const anchors = lines.map((line) => String(JSON.parse(line).checkpoint));
    for (const key of [nextAuditKey.publicKey, '00'.repeat(32)]) {
      const { summary } = await openExport(await filesIn(pack), { key, anchors }, () => {});
      const kept = path.join(directory, 'kept-for-pack.ndjson');
      await writeFile(kept, lines.join('\n'));
      const { stdout } = await verifyOffline(pack, '--key', key, '--anchor', kept);
      assert.ok(stdout.includes(withoutDetail(summary.finding?.problem ?? 'all valid')), stdout);
    }
  });
});

it('a pack tells names and reasons, and that a file of it was altered', async (t) => {
  const { plane, send, ask, cookie } = await testAdministrator(t);
  for (const name of ['a', 'b']) await send('POST', '/admin/models', { name });
  const headers = { 'x-gw-reason': 'CHG-7' };
  const asked = { method: 'PATCH', path: '/admin/models/1', cookie, headers };
  assert.equal((await ask({ ...asked, body: { input_price_per_mtok: 2 } })).status, 200);
  const { reports: db, past, vault } = plane;
  const directory = path.join(await temporaryDirectory(t), 'pack');
  const made = await makePack(
    { db, past, vault, appVersion: 'test', clock: Date.now },
    { from: { position: 3 }, to: null, withPersonalData: true, directory, keys: [], settings: [] },
  );
  assert.ok(!isRefusal(made));
  const files = await filesIn(directory);
  const { summary, ...opened } = await openExport(files, none, () => {});
  assert.deepEqual([summary.finding, summary.pack?.problem], [null, null]);
  const { body } = await answer({ ...opened }, '/admin/history/commands?limit=1');
  const [last] = Array.isArray(body) ? body : [];
  assert.equal(Reflect.get(Object(last), 'reason'), 'CHG-7');
  assert.equal(Reflect.get(Object(last), 'version_after'), plane.store.state().version);

  const altered = files.map((file) =>
    file.name === 'served.ndjson' ? new File(['{}'], file.name) : file,
  );
  const second = await openExport(altered, none, () => {});
  assert.equal(second.summary.pack?.problem, 'served.ndjson does not match the manifest');
  const missing = await openExport(
    files.filter(({ name }) => name !== 'README.txt'),
    none,
    () => {},
  );
  assert.match(
    missing.summary.pack?.problem ?? '',
    /^missing from the pack, or not part of it: README.txt$/,
  );
});
