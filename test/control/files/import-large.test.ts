// Tests that an import of more than 1,000 changes uses several transactions and can be repeated
// after a failure.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import { importConfig } from '../../../src/control/files/import.ts';
import { readEvents } from '../../../src/db/log/event-log.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const attempt = ({ plane }: TestPlane, text: string) => {
  const source = readSource(text, {});
  return importConfig({ plane, newId: randomUUID }, { source, environment: {}, dryRun: false });
};

async function run(test: TestPlane, text: string) {
  const report = await attempt(test, text);
  assert.ok('changes' in report, JSON.stringify(report));
  return report;
}

const models = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `  - { model_name: m${at}, litellm_params: { model: openai/m${at}, api_base: http://one/v1, input_cost_per_token: 1e-6 } }`,
  ).join('\n');
const keys = Array.from(
  { length: 300 },
  (_, at) => `{ key: a-key-of-more-than-24-characters-${at}, name: team-${at}, models: [m0] }`,
).join(', ');

describe('a large import', () => {
  it('is complete after several commands with a bounded number of events', async (t) => {
    const test = await testPlane(t);
    await run(test, `model_list:\n${models(700)}`);
    const events = await readEvents(test.plane.db, { after: 0, limit: 10_000 });
    const own = events.filter(({ metadata }) => metadata.target === 'import');
    const commands = [...Map.groupBy(own, ({ txId }) => txId).values()];
    assert.deepEqual(
      commands.map(({ length }) => length),
      [1_000, 999, 102],
    );
    assert.equal(test.plane.store.state().model.byId.size, 700);
  });

  it('reports the changes made when it fails, and makes the rest when it is run again', async (t) => {
    const source = `model_list:\n${models(1)}\nauth: { keys: [${keys}] }`;
    const test = await testPlane(t);
    const session = await test.session();
    await session.query(`
      create function public.fail() returns trigger language plpgsql as $$
      begin raise 'ended' using errcode = '57014'; end $$;
      create trigger fail before insert on es.events for each row
      when (new.type = 'ApiKeyCreated' and new.payload ->> 'name' = 'team-250')
      execute function public.fail()`);
    const refusals = await attempt(test, source);
    assert.ok(!('changes' in refusals), 'it was not refused');
    const said = refusals.map(({ message }) => message).join('\n');
    const [, made, all] = /stopped after (\d+) of (\d+) changes, which are kept: /.exec(said) ?? [];
    assert.ok(Number(made) > 0 && Number(made) < Number(all), said);
    assert.match(said, /run the import again to make the remaining changes$/);
    await session.query('drop trigger fail on es.events');
    const rest = await run(test, source);
    assert.equal(rest.changes.length, Number(all) - Number(made));
    assert.equal(test.plane.store.state().api_key.byId.size, 300);
    assert.deepEqual((await run(test, source)).changes, []);
  });
});
