// Tests what time does to change requests: due ones are applied once, and those that cannot be
// applied fail with a reason.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { keepChangeRequests } from '../due.ts';
import { requestAgeMaxMs } from '../../../src/deciders/changes/change-request.ts';
import { member } from '../../../test/harness/admin/admin.ts';
import { fourEyes, path, renameModel } from '../../../test/harness/admin/four-eyes.ts';

const minuteMs = 60_000;

/**
 * Request 1 renames the model, is approved and is due in a minute. `sweep` runs at the given time
 * from now.
 */
async function due(t: Parameters<typeof fourEyes>[0]) {
  const started = await fourEyes(t);
  const { ada, boss, draft, approve, plane } = started;
  const id = await draft(ada, [renameModel('b')]);
  assert.equal((await approve(boss, id)).status, 200);
  const at = new Date(Date.now() + minuteMs).toISOString();
  const scheduled = await ada('POST', `${path}/${id}/schedule`, { at });
  assert.equal(member(scheduled.body, 'state'), 'scheduled');
  const warnings: string[] = [];
  const sweep = (inMs: number): Promise<void> =>
    keepChangeRequests({
      plane,
      clock: () => Date.now() + inMs,
      newId: () => crypto.randomUUID(),
      log: { warn: (_fields, message) => void warnings.push(message) },
    });
  const request = () => plane.store.state().change_request.byId.get(id);
  const name = () => plane.store.state().model.byId.get(1)?.name;
  const shown = async () => (await boss('GET', `${path}/${id}`)).body;
  return { ...started, id, sweep, request, name, shown, warnings };
}

describe('a scheduled change request', () => {
  it('is applied once when it is due, whichever replicas sweep', async (t) => {
    const { sweep, request, name, plane } = await due(t);
    const before = plane.store.state().position;
    await sweep(0);
    assert.deepEqual([request()?.state, name()], ['scheduled', 'a']);
    await Promise.all([sweep(minuteMs), sweep(minuteMs), sweep(minuteMs)]);
    assert.deepEqual([request()?.state, name()], ['applied', 'b']);
    assert.deepEqual(request()?.ended?.by, null);
    assert.equal(plane.store.state().position, before + 2);
  });

  it('fails with a reason when its author may no longer write the configuration', async (t) => {
    const { sweep, request, name, boss, ids, shown, warnings } = await due(t);
    await boss('DELETE', `/admin/principals/${ids.ada}/roles/admin`);
    await sweep(minuteMs);
    assert.deepEqual([request()?.state, name()], ['open', 'a']);
    const failure = member(await shown(), 'failure');
    assert.equal(member(failure, 'cause'), 'author');
    assert.match(String(member(failure, 'message')), /the author of the request was deleted/);
    assert.match(warnings.join(), /was due and could not be applied/);
    const { length } = warnings;
    await sweep(minuteMs);
    assert.equal(warnings.length, length, 'it is no longer due');
  });

  it('fails when all its approvers are gone', async (t) => {
    const { sweep, request, name, ada, ids } = await due(t);
    assert.equal((await ada('DELETE', `/admin/principals/${ids.boss}`)).status, 200);
    await sweep(minuteMs);
    assert.deepEqual([request()?.state, name()], ['open', 'a']);
    assert.equal(request()?.failure?.cause, 'approvals');
  });

  it('fails when its calls have another result or are missing from the vault', async (t) => {
    const first = await due(t);
    await first.boss('PATCH', '/admin/provider-models/1', { name: 'b' });
    await first.sweep(minuteMs);
    assert.deepEqual([first.request()?.state, first.request()?.failure?.cause], ['open', 'calls']);
    const second = await due(t);
    await second.plane.db.query(
      sql`update vault.items set body = null, erased_at = now() where class = 'change_request'`,
    );
    await second.sweep(minuteMs);
    assert.deepEqual([second.request()?.state, second.request()?.failure?.cause], ['open', 'body']);
    assert.equal(second.name(), 'a');
  });

  it('fails when the program cannot parse its calls', async (t) => {
    const { plane, sweep, request, warnings } = await due(t);
    const execute = plane.execute;
    let faults = 0;
    const faulty: typeof execute = (mutation, context) => {
      if (mutation.command.type !== 'ApplyChangeRequest') return execute(mutation, context);
      faults += 1;
      throw new Error('a fault');
    };
    Object.assign(plane, { execute: faulty });
    await sweep(minuteMs);
    await sweep(minuteMs);
    Object.assign(plane, { execute });
    assert.deepEqual([faults, request()?.failure?.cause], [1, 'fault']);
    assert.match(warnings.join(), /applying a change request/);
  });
});

it('expires when it is too old, and its calls are erased', async (t) => {
  const { sweep, request, ada, id, plane } = await due(t);
  await ada('POST', `${path}/${id}/schedule`, { at: null });
  await sweep(requestAgeMaxMs - minuteMs);
  assert.equal(request()?.state, 'approved');
  await sweep(requestAgeMaxMs);
  assert.equal(request()?.state, 'expired');
  const ref = request()?.draft?.body_ref ?? '';
  assert.equal((await plane.vault.reveal(plane.db, [ref])).size, 0);
});
