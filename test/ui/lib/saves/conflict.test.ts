// Tests the message if a record was changed or deleted while it was edited.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { conflictOf, spanSince, streamOfPath } from '../../../../ui/lib/saves/conflict.ts';

const last = { actor: 'ann', at: '2026-11-22 08:00 UTC' };
const changed = { ...last, command: 'UpdateProvider' };
const deleted = { ...last, command: 'DeleteProvider' };

it('names who changed or deleted the record and when; other refusals keep the message of the server', () => {
  const cases = [
    [{ status: 412, code: 'stale' }, changed, 'changed', /changed by ann, 2026-11-22 08:00/],
    [{ status: 412, code: 'stale' }, null, 'changed', /changed\. What you typed is kept/],
    [{ status: 404, code: 'absent' }, deleted, 'deleted', /deleted by ann, 2026-11-22/],
    [{ status: 404, code: 'absent' }, changed, undefined, /^$/],
    [{ status: 404, code: 'absent' }, null, undefined, /^$/],
    [{ status: 409, code: 'conflict' }, changed, undefined, /^$/],
    [{ status: 400, code: 'invalid' }, changed, undefined, /^$/],
    [{ status: 0, code: 'unreachable' }, null, undefined, /^$/],
  ] as const;
  for (const [failure, done, kind, said] of cases) {
    const conflict = conflictOf(failure, done);
    assert.equal(conflict?.kind, kind, `${failure.status}`);
    assert.match(conflict?.message ?? '', said);
  }
});

it('finds the record of a call by its path', () => {
  const cases = {
    '/admin/providers/7': 'provider-7',
    '/admin/provider-models/3/backends': 'model-3',
    '/admin/backends/3': 'model-3',
    '/admin/principals/5/budget': 'principal-5',
    '/admin/frontend-models/2/rules': 'frontend_model-2',
    '/admin/model-pools/4/members': 'pool-4',
    '/admin/a2a-agents/1': 'agent-1',
    '/admin/providers': null,
    '/admin/rules/5': null,
    '/admin/roles/readers': null,
  };
  for (const [path, stream] of Object.entries(cases))
    assert.equal(streamOfPath(path), stream, path);
});

it('finds the changes of others since the loaded version, and null if it is unknown', () => {
  const events = [
    { position: 90, version: 4 },
    { position: 80, version: 3 },
    { position: 70, version: 2 },
  ];
  assert.deepEqual(spanSince(events, 2), { from: 70, to: 90 });
  assert.deepEqual(spanSince(events, 3), { from: 80, to: 90 });
  for (const seen of [4, 1, undefined]) assert.equal(spanSince(events, seen), null, `${seen}`);
  assert.equal(spanSince([], 2), null);
});
