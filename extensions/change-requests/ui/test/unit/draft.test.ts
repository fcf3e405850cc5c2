// Tests the edit of the calls of a change request.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { changesBetween } from '../../../../../ui/lib/saves/change.ts';
import { callDrafts, editedFields, newCall, readCalls } from '../../draft.ts';

const price = { method: 'PATCH', path: '/admin/models/1', body: { input_price_per_mtok: 3 } };
const provider = {
  method: 'POST',
  path: '/admin/providers',
  body: { name: 'p', upstream_api_key: 'set' },
  secrets: ['upstream_api_key'],
};
const removal = { method: 'DELETE', path: '/admin/models/2', body: null };

it('calls without secrets are unchanged after they are shown and read', () => {
  assert.deepEqual(readCalls(callDrafts([price, removal])), {
    calls: [price, { method: 'DELETE', path: '/admin/models/2' }],
  });
});

it('asks for a secret again instead of sending its placeholder', () => {
  const [draft = newCall] = callDrafts([provider]);
  assert.deepEqual(JSON.parse(draft.body), { name: 'p', upstream_api_key: '' });
  assert.deepEqual(readCalls([draft]), {
    wrong: { field: 'calls.0', message: 'enter upstream_api_key again: secrets are not shown' },
  });
  const typed = { ...draft, body: '{"name":"p","upstream_api_key":"sk-new"}' };
  assert.deepEqual(readCalls([typed]), {
    calls: [{ ...price, method: 'POST', path: '/admin/providers', body: JSON.parse(typed.body) }],
  });
});

it('names the position of an invalid call', () => {
  for (const [drafts, field] of [
    [[], 'calls'],
    [[{ ...newCall, path: 'models/1' }], 'calls.0.path'],
    [[newCall, { ...newCall, body: '{"name":' }], 'calls.1'],
  ] as const) {
    const read = readCalls(drafts);
    assert.ok('wrong' in read);
    assert.equal(read.wrong.field, field);
  }
});

it('an edit is shown call by call, with secrets only as set', () => {
  const secret = { ...provider, body: { name: 'p', upstream_api_key: 'sk-new' } };
  const { before, after } = editedFields(
    { title: 'Prices', calls: [price, removal] },
    { title: 'Prices', calls: [{ ...price, body: { input_price_per_mtok: 5 } }, secret] },
  );
  assert.deepEqual(
    changesBetween(before, after).map((one) => [one.field, one.before, one.after]),
    [
      ['call 1.input_price_per_mtok', 3, 5],
      ['call 2', 'DELETE /admin/models/2', 'POST /admin/providers'],
      ['call 2.name', undefined, 'p'],
      ['call 2.upstream_api_key', undefined, 'set'],
    ],
  );
  const gone = editedFields(
    { title: null, calls: [price, removal] },
    { title: null, calls: [price] },
  );
  assert.deepEqual(
    changesBetween(gone.before, gone.after).map((one) => [one.field, one.kind]),
    [['call 2', 'removed']],
  );
});
