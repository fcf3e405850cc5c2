// Tests the output and exit codes of `gw snapshot` and `gw history`.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { modelId } from '../../../src/lib/ids.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { testKey, testPlane } from '../../../test/harness/control/plane.ts';

it('snapshot and history say what the log holds', async (t) => {
  const { run, url, plane } = await testPlane(t);
  const id = modelId.parse(1);
  await run({ command: { type: 'CreateModel', name: 'm', fields: {} } }, { reason: 'CHG-1' });
  const before = plane.store.state().position;
  await run({ command: { type: 'UpdateModel', id, fields: { name: 'n' } } });
  const after = plane.store.state().position;
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
  const asked = (...words: string[]) => gw(words, { env });

  const list = await asked('snapshot', 'list', '--limit', '2');
  assert.deepEqual(
    [list.code, list.stderr],
    [0, `there are more: gw snapshot list --limit 2 --before ${before}\n`],
  );
  assert.match(
    list.stdout,
    new RegExp(`^${after}  \\S+  \\S+  Updated model n  model-1\n${before}  `),
  );
  assert.match(list.stdout, /\(CHG-1\)\n$/);

  const shown = JSON.parse((await asked('snapshot', 'show', String(before))).stdout);
  assert.deepEqual([shown.version, shown.config.models[0].name], [before, 'm']);

  const diff = await asked('snapshot', 'diff', String(before), String(after));
  assert.equal(diff.code, 10);
  assert.equal(diff.stdout, 'changed model 1 "n"\n  name: "m" -> "n"\n');
  const same = await asked('snapshot', 'diff', String(after), String(after), '--json');
  assert.deepEqual([same.code, JSON.parse(same.stdout)], [0, []]);

  const commands = await asked('history', 'commands', '--stream', 'model-1');
  assert.match(commands.stdout, new RegExp(`v${before} -> v${after}\n.* Created model n .*CHG-1`));
  const events = await asked('history', 'events', '--type', 'ModelCreated', '--json');
  assert.deepEqual(JSON.parse(events.stdout)[0].data, { id: 1, name: 'm', description: null });
  const own = await asked(
    'history',
    'events',
    '--actor',
    '1',
    '--limit',
    '1',
    '--before',
    `${after}`,
  );
  assert.match(own.stdout, new RegExp(`^${before}  \\S+  model-1  ModelCreated .*\n$`));
  assert.equal((await asked('history', 'commands', '--actor', '7')).stdout, 'none\n');
  const event = JSON.parse((await asked('history', 'event', String(before))).stdout);
  assert.deepEqual([event.type, event.next_in_stream], ['ModelCreated', after]);
});

it('a list that goes on says by which command, and the last page of it does not', async (t) => {
  const { run, url } = await testPlane(t);
  for (const name of ['a', 'b', 'c']) {
    const command = { type: 'CreateModel', name, fields: {} } as const;
    await run({ command }, { requestId: "o'clock" });
  }
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
  const lists: readonly (readonly string[])[] = [
    ['history', 'events', '--type', 'ModelCreated', '--request-id', "o'clock"],
    ['history', 'commands', '--command', 'CreateModel', '--actor-kind', 'session'],
    ['snapshot', 'list'],
  ];
  for (const list of lists) {
    const first = await gw([...list, '--limit', '2', '--json'], { env });
    const rows: unknown = JSON.parse(first.stdout);
    assert.ok(Array.isArray(rows) && rows.length === 2, list.join(' '));
    const next: unknown = JSON.parse(first.stderr)['next'];
    assert.ok(Array.isArray(next) && next[0] === 'gw');
    const second = await gw(next.slice(1).map(String), { env });
    assert.equal(JSON.parse(second.stdout).length > 0, true, 'the next page');
  }
  const shown = await gw([...(lists[0] ?? []), '--limit', '2'], { env });
  const words = "--type ModelCreated --request-id 'o'\\''clock' --limit 2 --before ";
  const more = shown.stderr.replace(words, 'WORDS ');
  assert.match(more, /^there are more: gw history events WORDS \d+\n$/);
  assert.equal((await gw([...(lists[0] ?? []), '--limit', '3'], { env })).stderr, '');
  const kind = await gw(['history', 'events', '--actor-kind', 'planet'], { env });
  assert.equal(kind.code, 2);
  assert.match(kind.stderr, /^gw: --actor-kind must be one of .*, was "planet"\n$/);
});

it('what is asked wrongly, or is not there, has its own exit code', async (t) => {
  const { url } = await testPlane(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
  const wrong = await gw(['snapshot', 'show', 'soon'], { env });
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /^gw: version must be a snapshot version, .* was "soon"\n$/);
  const absent = await gw(['snapshot', 'diff', '1', '99999'], { env });
  assert.deepEqual([absent.code, absent.stdout], [5, '']);
  assert.match(absent.stderr, /^gw: to: 99999 is out of range; the log has positions 1 to \d+\n$/);
  const limit = await gw(['history', 'commands', '--limit', '0'], { env });
  assert.equal(limit.code, 2);
  const actor = await gw(['history', 'events', '--actor', 'ada'], { env });
  const said = 'gw: --actor must be the id of a principal, was "ada"\n';
  assert.deepEqual([actor.code, actor.stderr], [2, said]);
  const bare = await gw(['history', 'events']);
  assert.equal(bare.code, 2);
  assert.equal(bare.stderr, 'gw: history events needs --database-url\n');
});

it('a restore is shown, asks for its reason, and says what it made', async (t) => {
  const { run, url, plane } = await testPlane(t);
  await run({ command: { type: 'CreateModel', name: 'm', fields: {} } });
  const then = String(plane.store.state().position);
  await run({ command: { type: 'DeleteModel', id: modelId.parse(1) } });
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
  const restore = (...words: string[]) => gw(['snapshot', 'restore', then, ...words], { env });
  const shown = await restore('--dry-run');
  assert.deepEqual(
    [shown.code, shown.stdout],
    [0, 'model-1  ModelCreated\n1 change would be made\n'],
  );
  assert.deepEqual(
    [(await restore()).code, (await restore('--only', 'm', '--dry-run')).code],
    [2, 2],
  );
  const both = await restore('--only', 'model-1', '--except', 'model-1', '--dry-run');
  assert.deepEqual([both.code, /cannot be combined/.test(both.stderr)], [2, true]);
  const but = await restore('--except', 'model-1', '--dry-run');
  assert.deepEqual([but.code, but.stdout], [0, '0 changes would be made\n']);
  const absent = await restore('--only', 'model-9', '--reason', 'CHG-7');
  assert.equal(absent.code, 6);
  const made = await restore('--only', 'model-1', '--reason', 'CHG-7');
  assert.deepEqual([made.code, made.stderr], [0, '']);
  assert.match(made.stdout, /^model-1 {2}ModelCreated\n1 change made, snapshot version \d+\n$/);
  await plane.catchUp();
  assert.equal(plane.store.state().model.byId.get(1)?.name, 'm');
});
