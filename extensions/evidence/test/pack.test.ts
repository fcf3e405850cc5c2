// Tests that an evidence pack covers the period, is reproducible, hides names unless requested, and
// that changed bytes are detected without this program.

import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { makePack } from '../pack.ts';
import type { PackWish } from '../pack.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { timeOf } from '../../../src/db/grant-events.ts';
import { listSignedCheckpoints } from '../../../src/db/log/signed-checkpoints.ts';
import { insertServed } from '../../../src/db/snapshots-served.ts';
import { eraseItems } from '../../../src/db/vault-retention.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import {
  auditKey,
  nextAuditKey,
  signedPlane,
  unanchored,
  verifyOffline,
} from '../../../test/harness/control/signed-log.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { testKey, testPlane } from '../../../test/harness/control/plane.ts';

const ref = '5b0c2f4e-8a3d-4c55-9a57-3f2f9d1c7e10';
const named = { text: null, ref, fingerprint: 'f' };
const key = 'GW_AUDIT_SIGNING_KEY';

type Opened = Awaited<ReturnType<typeof testPlane>>;

/** Ada, who may call every model, with a reason. */
async function addAda({ run, plane }: Opened): Promise<void> {
  await run({
    command: { type: 'CreatePrincipal', name: named, kind: 'user', emailRef: null },
    secrets: [{ ref, class: 'personal', plaintext: 'Ada Lovelace' }],
  });
  const found = [...plane.store.state().principal.byId.values()].find(
    ({ name }) => name.ref === ref,
  );
  const id = principalId.parse(found?.id);
  await run({ command: { type: 'GrantRole', id, role: 'inference' } }, { reason: 'she asked' });
}

async function pack(
  { reports: db, past, vault }: ControlPlane,
  wish: Partial<PackWish> & Pick<PackWish, 'directory'>,
) {
  const made = await makePack(
    { db, past, vault, appVersion: 'test', clock: Date.now },
    { from: null, to: null, withPersonalData: false, keys: [nextAuditKey], settings: [], ...wish },
  );
  if (isRefusal(made)) throw new Error(made.message);
  return made;
}

async function contentsOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(directory);
  const texts = await Promise.all(
    names.map((name) => readFile(path.join(directory, name), 'utf8')),
  );
  return new Map(names.map((name, at) => [name, texts[at] ?? '']));
}

async function packedAda(t: TestContext) {
  const opened = await signedPlane(t);
  await addAda(opened);
  const directory = path.join(await temporaryDirectory(t), 'pack');
  return { ...opened, directory };
}

const rows = (text = '') =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('a pack of evidence', () => {
  it('tells what happened, who could call what, and who signed it', async (t) => {
    const { plane, directory, url } = await packedAda(t);
    const from = plane.store.state().position - 2;
    const env = {
      GW_DATABASE_URL: url,
      GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex'),
      [key]: '02'.repeat(32),
    };
    const made = await gw(['evidence', '--from', String(from), '--out', directory], { env });
    assert.deepEqual([made.code, made.stderr], [0, '']);
    assert.match(made.stdout, new RegExp(`positions ${from + 1} to ${from + 2} in `));
    const files = await contentsOf(directory);
    const changes = rows(files.get('changes.ndjson'));
    assert.deepEqual(
      changes.map(({ command, reason }) => [command, (reason ?? '').startsWith('ref:')]),
      [
        ['CreatePrincipal', false],
        ['GrantRole', true],
      ],
    );
    const gained = rows(files.get('access-difference.ndjson'));
    assert.ok(gained.length > 0);
    for (const row of gained)
      assert.deepEqual([row.change, row.principal], ['gained', `ref:${ref}`]);
    assert.deepEqual(
      rows(files.get('audit-keys.ndjson')).map((one) => one.public_key),
      [auditKey.publicKey, nextAuditKey.publicKey],
    );
    const settings = files.get('settings.ndjson') ?? '';
    assert.ok(settings.includes('"variable":"GW_AUDIT_SIGNING_KEY"') && !settings.includes('0202'));
    assert.doesNotMatch([...files.values()].join(''), /Ada|she asked/);
    assert.deepEqual(await verifyOffline(directory), {
      code: 0,
      stdout:
        `2 events, 0 checkpoints: all valid; signed: nothing\n${unanchored}` +
        '12 files match the manifest, signed\n',
    });
    assert.equal((await gw(['evidence', '--out', directory], { env })).code, 6);
  });

  it('shows names and reasons when asked to, and not what was erased', async (t) => {
    const { plane, directory } = await packedAda(t);
    await pack(plane, { directory, withPersonalData: true });
    const files = await contentsOf(directory);
    assert.match(files.get('access-after.ndjson') ?? '', /Ada Lovelace/);
    assert.match(files.get('changes.ndjson') ?? '', /she asked/);
    assert.doesNotMatch(files.get('log.ndjson') ?? '', /Ada Lovelace|she asked/);
    assert.equal(rows(files.get('access-before.ndjson')).length, 0);
  });

  it('is the same for the same log, but for when it was made', async (t) => {
    const { plane, directory } = await packedAda(t);
    const again = `${directory}-again`;
    const [one, other] = [
      await pack(plane, { directory }),
      await pack(plane, { directory: again }),
    ];
    assert.deepEqual({ ...one, made_at: '' }, { ...other, made_at: '' });
    const [first, second] = [await contentsOf(directory), await contentsOf(again)];
    for (const { name } of one.files) assert.equal(first.get(name), second.get(name), name);
  });

  it('tells what was restored, what was erased, and which replica served what', async (t) => {
    const { plane, run, directory, url } = await packedAda(t);
    const then = String(plane.store.state().position);
    await run({ command: { type: 'CreateModel', name: 'mistake', fields: {} } });
    const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
    const restored = await gw(['snapshot', 'restore', then, '--reason', 'CHG-7'], { env });
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    await eraseItems(plane.db, [ref], new Date());
    const served = { replica: 'r1', version: Number(then), position: null, hash: null };
    await insertServed(plane.db, { ...served, at: new Date() });
    const before = { ...served, replica: 'r0', at: new Date(0) };
    await insertServed(plane.db, before);
    await insertServed(plane.db, { ...before, version: 1, at: new Date(-1) });
    await pack(plane, { directory, from: { position: Number(then) } });
    const files = await contentsOf(directory);
    const [restore] = rows(files.get('restores.ndjson'));
    assert.deepEqual([restore.position, restore.restored], [Number(then) + 2, Number(then)]);
    const erased = rows(files.get('erased.ndjson'));
    assert.deepEqual(
      erased.map((one) => [one.ref, one.class]),
      [[ref, 'personal']],
    );
    const reports = rows(files.get('served.ndjson'));
    assert.deepEqual(
      reports.map((one) => [one.replica, one.version]),
      [
        ['r0', Number(then)],
        ['r1', Number(then)],
      ],
    );
    const gained = rows(files.get('access-after.ndjson'));
    const names = new Set(gained.map((row) => row.principal));
    assert.ok(names.has('') && !names.has(`ref:${ref}`), 'an erased name is none');
    assert.equal((await verifyOffline(directory)).code, 0);
  });

  it('tells what replicas reported until its end, which is a time or the event behind it', async (t) => {
    const { plane, run, directory } = await packedAda(t);
    const { position } = plane.store.state();
    await run({ command: { type: 'CreateModel', name: 'behind', fields: {} } });
    const behind = await timeOf(plane.db, position + 1);
    const report = (replica: string, at: number) => {
      const fact = { replica, version: position, position: null, hash: null };
      return insertServed(plane.db, { ...fact, at: new Date(at) });
    };
    for (const later of [0, 1, 60_000, 60_001]) await report(`r${later}`, behind + later);
    const told = async (wish: Pick<PackWish, 'from'> | Pick<PackWish, 'to'>) => {
      await pack(plane, { directory, ...wish });
      const reports = rows((await contentsOf(directory)).get('served.ndjson'));
      await rm(directory, { recursive: true });
      return reports.map((one) => one.replica);
    };
    assert.deepEqual(await told({ to: { position } }), ['r0']);
    assert.deepEqual(await told({ to: { at: behind + 60_000 } }), ['r0', 'r1', 'r60000']);
    const all = ['r0', 'r1', 'r60000', 'r60001'];
    assert.deepEqual(await told({ to: null }), all);
    assert.deepEqual(await told({ from: { at: behind + 60_000 } }), all, 'or served then');
  });

  it('does not hold with a byte changed, a file gone or one too many', async (t) => {
    const { plane, directory } = await packedAda(t);
    await pack(plane, { directory });
    const good = await contentsOf(directory);
    const holds = async () => (await verifyOffline(directory)).code === 0;
    assert.ok(await holds());
    for (const [name, text] of good) {
      const file = path.join(directory, name);
      const at = Math.floor(text.length / 2);
      const altered =
        text === ''
          ? ' '
          : `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
      await writeFile(file, altered);
      assert.ok(!(await holds()), `${name} is altered`);
      await rm(file);
      assert.ok(!(await holds()), `${name} is gone`);
      await writeFile(file, text);
    }
    await writeFile(path.join(directory, 'more'), '');
    assert.match(
      (await verifyOffline(directory)).stdout,
      /missing from the pack, or not part of it: more/,
    );
    await rm(path.join(directory, 'more'));
    assert.ok(await holds());
    const signed = good.get('manifest.sig') ?? '';
    const unsigned = signed.replace(/"signature":"[^"]*"/, '"signature":""');
    await writeFile(path.join(directory, 'manifest.sig'), unsigned);
    assert.match((await verifyOffline(directory)).stdout, /the audit key did not sign it/);
  });

  it('of a time that is over holds with checkpoints of later, and without events', async (t) => {
    const { plane, directory } = await packedAda(t);
    const [kept, own] = [`${directory}-kept`, path.join(directory, 'audit-keys.ndjson')];
    const notes = await listSignedCheckpoints(plane.db, { after: 0, to: 1e6, limit: 100 });
    await writeFile(
      kept,
      notes.map(({ note }) => `${JSON.stringify({ checkpoint: note })}\n`),
    );
    const [, second] = notes;
    const position = second?.position ?? 0;
    const keys = [auditKey];
    await pack(plane, { directory, to: { position }, keys });
    const whole = await verifyOffline(directory, '--anchor', kept);
    assert.match(
      whole.stdout,
      /^\d+ events, 2 checkpoints: all valid; signed: up to .*, 0 events behind\n.* signed\n$/,
    );
    assert.deepEqual(rows(await readFile(own, 'utf8')).length, 1, 'a later key is not in it');
    await rm(directory, { recursive: true });
    await pack(plane, { directory, from: { position }, to: { position }, keys });
    assert.deepEqual(await verifyOffline(directory, '--anchor', kept), {
      code: 0,
      stdout:
        '0 events, 0 checkpoints: all valid; signed: nothing\n12 files match the manifest, signed\n',
    });
    assert.equal((await verifyOffline(directory, '--key', auditKey.publicKey)).code, 0);
    assert.equal((await verifyOffline(directory, '--key', nextAuditKey.publicKey)).code, 10);
  });

  it('of a log without an audit key is not signed, and says so', async (t) => {
    const { plane, run } = await testPlane(t);
    await run({ command: { type: 'CreateModel', name: 'm', fields: {} } });
    const directory = path.join(await temporaryDirectory(t), 'pack');
    const { audit_key } = await pack(plane, { directory });
    assert.equal(audit_key, null);
    const { code, stdout } = await verifyOffline(directory);
    assert.equal(code, 0);
    assert.match(stdout, /not signed/);
    const manifest = path.join(directory, 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"test"', '"tess"'));
    assert.equal((await verifyOffline(directory)).code, 10);
  });

  it('is refused without the audit key of that time, and for an end before its start', async (t) => {
    const { plane, directory } = await packedAda(t);
    const { position } = plane.store.state();
    const cases: readonly (readonly [Partial<PackWish>, RegExp])[] = [
      [{ keys: [auditKey] }, /the audit key at position \d+ is [\da-f]{64}; give it as GW_AUDIT/],
      [{ from: { position }, to: { position: 1 } }, /which is after --to/],
      [{ to: { position: 999_999 } }, /--to: 999999 is out of range/],
      [{ directory: path.dirname(directory) }, /already exists/],
    ];
    for (const [wish, message] of cases) {
      await assert.rejects(pack(plane, { directory, ...wish }), { message });
    }
    assert.deepEqual(await readdir(path.dirname(directory)), []);
  });
});
