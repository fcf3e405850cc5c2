// Tests that the usage of every vendor is read in the same form: each count once, in its total, and
// null where the vendor does not report it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { tokenParts } from '../../src/usage/counts.ts';
import { anthropicUsage, pairUsage } from '../../src/usage/dialects/anthropic.ts';
import { readAs, readReport, unknownFields } from '../../src/usage/read-report.ts';
import { reportOf } from '../harness/usage-report.ts';
import { vendorUsage } from './vendor-usage.ts';

for (const [vendor, cases] of Object.entries(vendorUsage)) {
  describe(`the usage of ${vendor}`, () => {
    for (const [name, [usage, expected]] of Object.entries(cases)) {
      it(`is read: ${name}`, () => {
        assert.deepEqual(readReport(usage), expected);
        assert.deepEqual(unknownFields(usage), []);
      });
    }
  });
}

it('a message without cache fields is read with the details of its API', () => {
  const usage = {
    input_tokens: 3,
    output_tokens: 4,
    output_tokens_details: { thinking_tokens: 2 },
  };
  assert.deepEqual(readAs(anthropicUsage, usage), reportOf(3, 4, { reasoningTokens: 2 }));
});

it('the size of a search is a part of the name of its call', () => {
  const usage = { prompt_tokens: 30, completion_tokens: 5, search_context_size: 'low' };
  assert.deepEqual(readReport(usage), reportOf(30, 5, { serverToolCalls: { web_search_low: 1 } }));
});

it('all cache reads of a request to Alibaba are explicit, or none', () => {
  const details = { cached_tokens: 2000, cache_creation_input_tokens: 900 };
  const usage = (more: object) => ({
    prompt_tokens: 3000,
    completion_tokens: 5,
    prompt_tokens_details: { ...details, ...more },
  });
  const implicit = reportOf(3000, 5, { cacheReadTokens: 2000, cacheWrite5mTokens: 900 });
  assert.deepEqual(readReport(usage({})), implicit);
  const units = { cache_read_explicit_tokens: 2000 };
  assert.deepEqual(readReport(usage({ cache_type: 'ephemeral' })), { ...implicit, units });
  assert.deepEqual(unknownFields(usage({ cache_type: 'ephemeral', cache_creation: {} })), []);
});

const read = (...[first, last]: Parameters<typeof pairUsage>) =>
  readAs(anthropicUsage, pairUsage(first, last));

describe('the usage of a streamed message', () => {
  const start = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 };

  it('has the input of its first event and the output of its last', () => {
    const last = { input_tokens: 77, output_tokens: 30, server_tool_use: { a_requests: 1 } };
    assert.deepEqual(
      read(start, last),
      reportOf(100, 30, { cacheReadTokens: 90, serverToolCalls: { a: 1 } }),
    );
    assert.deepEqual(read(start, null), reportOf(100, 1, { cacheReadTokens: 90 }));
    assert.deepEqual(read(null, last)?.promptTokens, 77);
    assert.equal(read(null, null), null);
  });

  it('has the input of its last event if the server knows it only then', () => {
    const empty = { input_tokens: 0, output_tokens: 0 };
    assert.deepEqual(read(empty, { input_tokens: 7, output_tokens: 3 }), reportOf(7, 3));
    assert.deepEqual(read(empty, { output_tokens: 3 }), reportOf(0, 3));
  });
});

it('a field that is not described is listed with its path', () => {
  const usage = {
    prompt_tokens: 1,
    new_tokens: 2,
    constructor: 3,
    prompt_tokens_details: { cached_tokens: 1, smell_tokens: 4 },
    server_tool_use: { web_search_requests: 1, web_search_seconds: 9 },
  };
  assert.deepEqual(unknownFields(usage), [
    'new_tokens',
    'constructor',
    'prompt_tokens_details.smell_tokens',
    'server_tool_use.web_search_seconds',
  ]);
  const metadata = { promptTokenCount: 1, promptTokensDetails: [{ modality: 'SMELL', x: 1 }] };
  assert.deepEqual(unknownFields(metadata), ['promptTokensDetails.SMELL', 'promptTokensDetails.x']);
});

it('parts that exceed their total are limited to it, and the report says so', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 30, audio_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 11 },
  };
  const expected = {
    cacheReadTokens: 80,
    cacheWrite5mTokens: 20,
    inputAudioTokens: 0,
    reasoningTokens: 10,
    isClamped: true,
  };
  assert.deepEqual(readReport(usage), reportOf(100, 10, expected));
});

it('the parts of any report never exceed their total', () => {
  const count = fc.oneof(fc.nat(1000), fc.constantFrom(null, -1, 1.5, 'x', 1e300));
  const usages = Object.values(vendorUsage).flatMap((cases) => Object.values(cases));
  const drawn = fc
    .constantFrom(...usages.map(([usage]) => usage))
    .chain((usage) =>
      fc.record(
        Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, mixed(value)])),
      ),
    );
  function mixed(value: unknown): fc.Arbitrary<unknown> {
    if (typeof value !== 'object' || value === null) return fc.oneof(fc.constant(value), count);
    if (Array.isArray(value)) return fc.tuple(...value.map(mixed));
    const members = Object.entries(value).map(([name, member]) => [name, mixed(member)] as const);
    return fc.record(Object.fromEntries(members));
  }
  fc.assert(
    fc.property(drawn, (usage) => {
      const report = readReport(usage);
      if (report === null) return;
      const left = { input: report.promptTokens, output: report.completionTokens };
      for (const { key, side } of tokenParts) left[side] -= report[key] ?? 0;
      assert.ok(left.input >= 0 && left.output >= 0);
    }),
    { numRuns: 2000 },
  );
});

it('a tool with the name of a built-in member is counted like any other', () => {
  const given = '{"constructor_requests":2,"__proto___requests":3,"toString_requests":1}';
  const usage = { input_tokens: 1, output_tokens: 1, server_tool_use: JSON.parse(given) };
  assert.deepEqual(readReport(usage)?.serverToolCalls, { constructor: 2, toString: 1 });
});

it('sums never exceed what a usage row can hold', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const usage = { input_tokens: most, cache_read_input_tokens: most, output_tokens: 1 };
  assert.deepEqual(readReport(usage), reportOf(most, 1, { cacheReadTokens: most }));
});

it('names of tools and tiers that do not fit in a row are left out', () => {
  const calls = Array.from({ length: 40 }, (_, at) => [`tool${at}_requests`, 1] as const);
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    service_tier: 'x'.repeat(65),
    server_tool_use: { ...Object.fromEntries(calls), 'a tool_requests': 1 },
  };
  const report = readReport(usage);
  assert.equal(report?.serviceTier, null);
  assert.equal(Object.keys(report?.serverToolCalls ?? {}).length, 32);
});
