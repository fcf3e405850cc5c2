// Tests the counts of recent requests by frontend model, rule, model and provider.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { usageFlows } from '../../../src/db/usage/usage-flows.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { reportUsage, reported } from '../../harness/admin/usage.ts';

const path = '/admin/usage/flows';
const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();

it('counts the requests of each way, and those that failed, in the last hour', async (t) => {
  const started = await testAdministrator(t);
  await started.send('POST', '/admin/models', { name: 'small' });
  const way = { frontend_model_id: 4, rule_id: 9, model_id: 1, provider_id: 2 };
  const refused = { frontend_model_id: 4, model_id: null, model: null };
  await reportUsage(started, [
    reported(1, way),
    reported(2, { ...way, status: 502 }),
    reported(3, { ...way, status: 400 }),
    reported(4, { ...refused, status: null, refusal: 'no_backend' }),
    reported(5, { ...refused, status: null, refusal: 'budget' }),
    reported(6, { provider_id: 2 }),
    reported(7, { ...way, at: minutesAgo(61) }),
  ]);
  const { status, body } = await started.send('GET', path);
  assert.equal(status, 200);
  const lost = { frontend_model_id: 4, rule_id: null, model_id: null, provider_id: null };
  assert.deepEqual(member(body, 'flows'), [
    { ...way, requests: 3, failed: 1 },
    { ...lost, requests: 2, failed: 1 },
    { ...way, frontend_model_id: null, rule_id: null, requests: 1, failed: 0 },
  ]);
  const asked = `${path}?since=${minutesAgo(90)}&until=${minutesAgo(60)}`;
  const { body: earlier } = await started.send('GET', asked);
  assert.deepEqual(member(earlier, 'flows'), [{ ...way, requests: 1, failed: 0 }]);
});

it('counts only the newest rows of a large range, and says since when', async (t) => {
  const started = await testAdministrator(t);
  await started.send('POST', '/admin/models', { name: 'small' });
  const times = [30, 20, 10].map(minutesAgo);
  await reportUsage(
    started,
    times.map((at, index) => reported(index, { at })),
  );
  const { db } = started.plane;
  const range = { since: minutesAgo(60), until: minutesAgo(0), flowsMax: 10 };
  const cut = await usageFlows(db, { ...range, rowsMax: 2 });
  assert.deepEqual(
    cut.flows.map(({ requests }) => requests),
    [2],
  );
  assert.equal(cut.oldest?.toISOString(), times[1]);
  assert.equal((await usageFlows(db, { ...range, rowsMax: 4 })).oldest, null);
});

it('refuses a range that ends before it starts', async (t) => {
  const started = await testAdministrator(t);
  const answer = await started.send('GET', `${path}?since=${minutesAgo(1)}&until=${minutesAgo(9)}`);
  const [status, , param] = errorOf(answer);
  assert.deepEqual([status, param], [400, 'since']);
});
