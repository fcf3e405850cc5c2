// Tests that a proxy numbers its usage rows without a gap, and names the numbers of rows that it dropped until the control
// plane knows them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { createUsageReporter } from '../../../src/gateway/control-link/report.ts';
import { RowNumbers } from '../../../src/gateway/usage/row-numbers.ts';
import { newCounts } from '../../../src/telemetry/metrics.ts';
import { droppedRangesMax, rowNumber } from '../../../src/usage/row-number.ts';
import { usageBatch, usageEvent } from '../../../src/usage/usage-event.ts';
import type { UsageBatch } from '../../../src/usage/usage-event.ts';
import { reported } from '../../harness/admin/usage.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import type { ScriptedUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const run = '01ARZ3NDEKTSV4RRFFQ6000000';
const replica = 'r1';

function startReporter(control: ScriptedUpstream, queuedMax: number) {
  const controlUrl = control.apiBase.replace('/v1', '');
  const client = createControlClient({ controlUrl, proxyToken: 'token', caBundle: [] });
  const log = collectLog([]);
  const options = { client, replica, run, counts: newCounts(), log, flushMs: 5, queuedMax };
  return { ...createUsageReporter(options), client };
}

const batchesOf = ({ seen }: Pick<ScriptedUpstream, 'seen'>): UsageBatch[] =>
  seen.map(({ body }) => usageBatch.parse(JSON.parse(String(body))));

const seqsOf = ({ events }: UsageBatch): number[] => events.map((one) => rowNumber.parse(one).seq);

describe('the numbers of usage rows', () => {
  it('start at 1 and have no gap, and each batch names the highest', async () => {
    await using control = await startUpstream(answerJson({}));
    const usage = startReporter(control, 10_000);
    for (let number = 0; number < 1200; number++)
      usage.record(usageEvent.parse(reported(number)), null);
    await usage.close();
    await usage.client.close();
    const batches = batchesOf(control);
    const all = Array.from({ length: 1200 }, (_value, index) => index + 1);
    assert.deepEqual(batches.flatMap(seqsOf), all);
    const last = batches.at(-1)?.sender;
    assert.deepEqual(last, { replica, run, assigned: 1200, dropped: [] });
    assert.equal(usage.undelivered(), null);
  });

  it('of dropped rows are in the report until a batch with them was accepted', async () => {
    await using control = await startUpstream(answerJson({}, 503));
    const usage = startReporter(control, 10);
    for (let number = 0; number < 25; number++)
      usage.record(usageEvent.parse(reported(number)), null);
    await until(() => usage.undelivered() !== null, { what: 'a failed delivery' });
    const dropped = [{ reason: 'queue_full', first: 11, last: 25 }];
    assert.deepEqual(usage.undelivered(), { run, assigned: 25, dropped });
    const failed = control.seen.length;
    control.play(answerJson({}));
    await until(() => usage.queued() === 0, { what: 'the delivery' });
    usage.record(usageEvent.parse(reported(26)), null);
    await usage.close();
    await usage.client.close();
    const senders = batchesOf({ seen: control.seen.slice(failed) }).map(({ sender }) => sender);
    assert.deepEqual(senders.at(-2), { replica, run, assigned: 25, dropped });
    assert.deepEqual(senders.at(-1), { replica, run, assigned: 26, dropped: [] });
  });

  it('of a batch that is refused for good are those of its rows', async () => {
    await using control = await startUpstream(answerJson({}, 400));
    const usage = startReporter(control, 10);
    for (let number = 0; number < 3; number++)
      usage.record(usageEvent.parse(reported(number)), null);
    await until(() => usage.queued() === 0, { what: 'the batch to be dropped' });
    const dropped = [{ reason: 'batch_refused', first: 1, last: 3 }];
    assert.deepEqual(usage.undelivered(), { run, assigned: 3, dropped });
    await usage.close();
    await usage.client.close();
  });

  it('are kept in a bounded number of ranges', () => {
    const numbers = new RowNumbers({ replica, run });
    for (let seq = 1; seq < 1000; seq += 2) numbers.dropped(seq, 'queue_full');
    assert.equal(numbers.report().dropped.length, droppedRangesMax);
  });

  it('of a range that grew while its report was sent are sent again', () => {
    const numbers = new RowNumbers({ replica, run });
    numbers.dropped(4, 'queue_full');
    const sent = numbers.report();
    numbers.dropped(5, 'queue_full');
    numbers.reported(sent);
    const dropped = [{ reason: 'queue_full', first: 4, last: 5 }];
    assert.deepEqual(numbers.report().dropped, dropped);
    numbers.reported({ dropped: numbers.report().dropped });
    assert.deepEqual(numbers.report().dropped, []);
  });
});
