// Tests the texts of the history: names, times and filters.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fateOf, verdictOf, wayOf } from '../../../../ui/lib/routing/explain.ts';
import {
  changesOfDifference,
  placeOfStream,
  reachText,
  readMoment,
  streamWords,
  streamsOf,
  versionsText,
  wordsOf,
} from '../../../../ui/lib/history/history.ts';

it('links a stream to the screen of its kind', () => {
  assert.deepEqual(placeOfStream('model-7'), { screen: 'models', rest: ['7'] });
  assert.deepEqual(placeOfStream('api_key-12'), { screen: 'keys', rest: ['12'] });
  assert.deepEqual(placeOfStream('admin_token-3'), { screen: 'tokens', rest: ['3'] });
  assert.deepEqual(placeOfStream('pool-2'), { screen: 'frontend-models', rest: ['pools', '2'] });
  assert.equal(placeOfStream('settings-1'), null);
  assert.equal(placeOfStream('model'), null);
  assert.equal(streamWords('frontend_model-3'), 'frontend model 3');
  assert.equal(streamWords('api_key-3'), 'API key 3');
});

it('names commands and events in words', () => {
  const words = {
    UpdateModel: 'Update model',
    ApiKeyCreated: 'API key created',
    McpServerChanged: 'MCP server changed',
    ApplyChanges: 'Apply changes',
    SetURL: 'Set URL',
  };
  for (const [name, text] of Object.entries(words)) assert.equal(wordsOf(name), text);
});

it('accepts only versions and UTC times', () => {
  const moments = {
    '1482': '1482',
    ' v1482 ': '1482',
    '0': '0',
    '2026-11-21': '2026-11-21T00:00:00Z',
    '2026-11-21 14:05': '2026-11-21T14:05:00Z',
    '2026-11-21T14:05:09Z': '2026-11-21T14:05:09Z',
    '2026-11-21T14:05:09+02:00': '2026-11-21T14:05:09+02:00',
    '2026-13-21': null,
    '-1': null,
    '01482': null,
    yesterday: null,
    '': null,
  };
  for (const [text, moment] of Object.entries(moments)) assert.equal(readMoment(text), moment);
});

it('distinguishes versions from changes that do not affect proxies', () => {
  assert.equal(versionsText({ version_before: 3, version_after: 5 }), '3 → 5');
  assert.equal(versionsText({ version_before: 0, version_after: 5 }), '5');
  assert.equal(versionsText({ version_before: 5, version_after: 5 }), '');
  const replicas = [{ snapshot_version: 5 }, { snapshot_version: 6 }, { snapshot_version: null }];
  assert.equal(reachText({ version_before: 3, version_after: 5 }, replicas), '2 of 3');
  assert.equal(reachText({ version_before: 5, version_after: 5 }, replicas), '');
  assert.equal(reachText({ version_before: 3, version_after: 5 }, []), '');
});

it('shows only that a secret changed', () => {
  const fields = [
    { field: 'credential', before: 'set', after: 'changed', secret: true },
    { field: 'node', before: 'a', after: null, secret: false },
    { field: 'cache_ttl_seconds', before: null, after: 0, secret: false },
    { field: 'input_price_per_mtok', before: 150_000, after: 0, secret: false },
  ];
  assert.deepEqual(changesOfDifference({ change: 'changed', fields }), [
    { field: 'credential (secret)', kind: 'changed', before: 'set', after: 'changed' },
    { field: 'node', kind: 'removed', before: 'a', after: null },
    { field: 'cache_ttl_seconds', kind: 'added', before: null, after: 0 },
    { field: 'input_price_per_mtok', kind: 'changed', before: 150_000, after: 0 },
  ]);
});

it('lists each configuration stream of a change once', () => {
  const events = ['model-7', 'provider-1', 'model-7', 'change_request-1'].map((stream) => ({
    stream,
  }));
  assert.deepEqual(streamsOf(events), ['model-7', 'provider-1']);
});

it('explains why a rule did not decide and why a model was not called', () => {
  const rule = { decides: false, failed: [], unknown: [], jump_lost: false };
  assert.equal(verdictOf({ ...rule, decides: true }).word, 'decides');
  assert.equal(verdictOf({ ...rule, failed: ['hours', 'tag'] }).word, 'not met');
  assert.equal(verdictOf({ ...rule, unknown: ['headers'] }).word, 'as recorded');
  assert.equal(verdictOf({ ...rule, jump_lost: true }).word, 'lost');
  assert.equal(verdictOf(rule).word, 'after the deciding rule');
  const candidate = {
    dropped: null,
    window_too_small: false,
    answered: false,
    pool: 'chat',
    pool_policy: 'least_loaded',
    weight: 3,
    fallback: false,
  };
  assert.equal(fateOf({ ...candidate, answered: true }).word, 'answered');
  assert.equal(fateOf({ ...candidate, dropped: 'not_granted' }).word, 'dropped');
  assert.equal(fateOf(candidate).word, 'next');
  assert.equal(wayOf(candidate), 'pool chat, least loaded, weight 3');
});
