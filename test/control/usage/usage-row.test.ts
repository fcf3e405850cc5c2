// Tests that a transmitted usage row reads back as its event, whatever texts it contains.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import { reportedEvent, usageEvent } from '../../../src/usage/usage-event.ts';
import type { UsageEvent } from '../../../src/usage/usage-event.ts';
import { asciiJson, usageRow, UsageRowWriter } from '../../../src/usage/usage-row.ts';
import { reported } from '../../harness/admin/usage.ts';

const event = (change: Readonly<Record<string, unknown>>): UsageEvent =>
  usageEvent.parse(reported(1, change));

const sparse = event({ model_id: null, model: null, route: null, status: null, ttft_ms: null });
const full = event({
  key_id: 7,
  provider_id: 3,
  tag: 'night',
  frontend_model_id: 4,
  rule_id: 5,
  prompt_class_id: 6,
  budget_percent: 80,
  matched_headers: ['x-team', 'x-"odd"'],
  rule_inputs: { at_ms: 1, headers: { 'x-team': 'a' }, crowded_rules: [5, 6], cost_micros: null },
  stream: true,
  ...Object.fromEntries(tokenParts.map(({ name }, index) => [name, index])),
  server_tool_calls: { web_search: 2 },
  units: { output_images: 1 },
  service_tier: 'flex',
  refusal: 'rate_limit',
  reported_cost_micros: 12,
  cached: true,
  max_tokens: 64,
});

const estimated = { usage_reported: false, prompt_tokens: 9, completion_tokens: 20 };

/** The members that a row of an older proxy lacks. */
const details = [
  ...tokenParts.map(({ name }) => name),
  'server_tool_calls',
  'units',
  'service_tier',
] as const;
const isDetail = (name: string): boolean => details.some((detail) => detail === name);

describe('a usage row', () => {
  it('has a refusal for an overloaded backend that older control planes know, and reads back', () => {
    const one = event({ refusal: 'backend_overloaded', status: 503 });
    const row: unknown = JSON.parse(usageRow(one));
    assert.partialDeepStrictEqual(row, { refusal: 'no_backend' });
    assert.deepEqual(usageEvent.parse(row), one);
    const newer = { ...reported(1, { refusal: 'no_backend' }), refused_as: 'a later one' };
    assert.equal(usageEvent.parse(newer).refusal, 'no_backend');
  });

  it('is read with an estimate by a control plane that does not know estimates', () => {
    const row: unknown = JSON.parse(usageRow(event({ ...estimated, usage_estimated: true })));
    const older = reportedEvent.omit({ usage_estimated: true, refused_as: true });
    const { usage_estimated: _unknown, ...known } = event(estimated);
    assert.deepEqual(older.parse(row), known);
  });

  it('is read without an estimate from a proxy that does not know estimates', () => {
    const { usage_estimated: _unknown, ...row } = event(estimated);
    assert.equal(usageEvent.parse(row).usage_estimated, false);
  });

  it('reads back as its event, also after rows that differ in one member', () => {
    const writer = new UsageRowWriter();
    const other = { status: 500, virtual_model: 'another', path: '/v1/other', attempts: 2 };
    const changes = event({ ...other, key_id: full.key_id, model_id: full.model_id });
    for (const [name, value] of Object.entries(changes)) {
      for (const one of [full, { ...full, [name]: value }, full]) {
        const row: unknown = JSON.parse(writer.row(one, ',"seq":1'));
        assert.deepEqual(usageEvent.parse(row), one);
      }
    }
  });

  it('omits counts that the provider did not report, and reads back', () => {
    const { length } = Object.keys(reportedEvent.shape);
    const row: unknown = JSON.parse(usageRow(sparse));
    assert.equal(Object.keys(Object(row)).length, length - 1 - details.length);
    assert.deepEqual(usageEvent.parse(row), sparse);
  });

  it('has counts that an older control plane ignores', () => {
    const older = reportedEvent.omit(membersOf(details, true));
    const row: unknown = JSON.parse(usageRow(full));
    const known = Object.entries(full).filter(([name]) => !isDetail(name));
    assert.deepEqual(older.parse(row), Object.fromEntries(known));
  });

  it('from an older proxy has unknown counts, never 0', () => {
    const row = usageEvent.parse(reported(1));
    assert.partialDeepStrictEqual(row, membersOf(details, null));
  });

  it('with a count that is not a whole number, or with too many tools, is refused', () => {
    const wrong = [
      { cache_read_tokens: 1.5 },
      { reasoning_tokens: -1 },
      { service_tier: 'a'.repeat(65) },
      { server_tool_calls: { web_search: '1' } },
      { server_tool_calls: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [at, 1])) },
    ];
    for (const change of wrong) {
      assert.equal(usageEvent.safeParse(reported(1, change)).success, false);
    }
  });

  it('contains every member of an event', () => {
    const row: unknown = JSON.parse(usageRow(full));
    // Reported only for refusals that older control planes do not know.
    const members = Object.keys(reportedEvent.shape).filter((name) => name !== 'refused_as');
    assert.deepEqual(new Set(Object.keys(Object(row))), new Set(members));
  });

  it('is ASCII and preserves any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = asciiJson(text);
        assert.match(json, /^[\x20-\x7e]*$/);
        assert.equal(JSON.parse(json), text);
        const named = { virtual_model: text, tag: text, service_tier: text };
        const row: unknown = JSON.parse(usageRow({ ...full, ...named }));
        assert.deepEqual(row, { ...full, ...named });
        const inputs = { at_ms: 1, headers: { 'x-team': text }, crowded_rules: [], cost_micros: 1 };
        const asked: unknown = JSON.parse(usageRow({ ...full, rule_inputs: inputs }));
        assert.deepEqual(asked, { ...full, rule_inputs: inputs });
      }),
    );
  });
});
