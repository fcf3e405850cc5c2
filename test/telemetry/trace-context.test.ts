// Tests parsing the trace header against the recommendation, case by case.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readTraceParent, writeTraceParent } from '../../src/telemetry/trace-context.ts';
import { createSampler } from '../../src/telemetry/sampler.ts';
import { tracedHeaders } from '../../src/telemetry/trace.ts';
import type { Trace } from '../../src/telemetry/trace.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const valid = `00-${traceId}-${spanId}-01`;

describe('traceparent', () => {
  const read: readonly (readonly [string, boolean])[] = [
    [valid, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`00-${traceId}-${spanId}-fe`, false],
    [`cc-${traceId}-${spanId}-01-what-comes-later`, true],
    [`cc-${traceId}-${spanId}-01`, true],
  ];
  for (const [header, isSampled] of read) {
    it(`${header} is ${isSampled ? '' : 'not '}sampled`, () => {
      assert.deepEqual(readTraceParent(header), { traceId, spanId, isSampled });
    });
  }

  const refused: readonly (readonly [string, string | undefined])[] = [
    ['absent', undefined],
    ['empty', ''],
    ['of the version that is none', `ff-${traceId}-${spanId}-01`],
    ['longer than its version', `${valid}-more`],
    ['in capitals', valid.toUpperCase()],
    ['of trace 0', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['of span 0', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['too short', valid.slice(0, -1)],
    ['without flags', `00-${traceId}-${spanId}`],
    ['two of them', `${valid}, ${valid}`],
    ['with spaces around', ` ${valid} `],
  ];
  for (const [what, header] of refused) {
    it(`is none when it is ${what}`, () => assert.equal(readTraceParent(header), null));
  }

  it('is written as it is read', () => {
    const parent = readTraceParent(valid);
    assert.ok(parent !== null);
    assert.equal(writeTraceParent(parent), valid);
  });
});

const trace = (isContinued: boolean): Trace => ({
  traceparent: `00-${traceId}-${'1'.repeat(16)}-01`,
  isContinued,
  facts: {},
  end: () => {},
});

describe('the sampler', () => {
  for (const oneIn of [1, 2, 7, 100]) {
    it(`takes exactly one in ${oneIn}`, () => {
      const begin = createSampler(oneIn, () => trace(false));
      const taken = Array.from({ length: oneIn * 10 }, () => begin(undefined, 0) !== null);
      for (let from = 0; from < taken.length; from += oneIn) {
        assert.equal(taken.slice(from, from + oneIn).filter(Boolean).length, 1);
      }
    });
  }

  it('honours a decision upstream, and counts such requests not at all', () => {
    const begin = createSampler(2, () => trace(true));
    const yes = valid;
    const no = `00-${traceId}-${spanId}-00`;
    const taken = [undefined, yes, no, yes, undefined, no, undefined, 'broken', 'broken'].map(
      (header) => begin(header, 0) !== null,
    );
    assert.deepEqual(taken, [true, true, false, true, false, false, true, false, true]);
  });
});

describe('the headers to the upstream', () => {
  const own = ['accept', '*/*', 'traceparent', 'a', 'tracestate', 'v=1', 'traceparent', 'b'];

  it("contain only this trace, and tracestate if the client's trace continues", () => {
    const { traceparent } = trace(true);
    assert.deepEqual(tracedHeaders(own, trace(true)), [
      'accept',
      '*/*',
      'tracestate',
      'v=1',
      'traceparent',
      traceparent,
    ]);
  });

  it("drop tracestate if the client's trace does not continue", () => {
    const { traceparent } = trace(false);
    const headers = tracedHeaders(own, trace(false));
    assert.deepEqual(headers, ['accept', '*/*', 'traceparent', traceparent]);
  });
});
