// Whatever an upstream of another protocol sends, and however it ends, an attempt is told of one answer: one
// head, then chunks, then one end, and nothing after it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { TranslatedAnswer } from '../../../src/gateway/outbound/translated-answer.ts';
import type { TranslatedSink } from '../../../src/gateway/outbound/translated-answer.ts';
import type { UpstreamFault } from '../../../src/gateway/transport/boundary.ts';
import { translations } from '../../../src/protocols/protocol.ts';
import { vendors } from '../../harness/upstream/vendors.ts';
import type { Vendor } from '../../harness/upstream/vendors.ts';

type Ending = 'end' | UpstreamFault['kind'];
type Sent = Readonly<{ status: number; type: string; chunks: readonly Buffer[]; ending: Ending }>;

/** The calls that a sink received, in order. */
function told({ protocol }: Vendor, { status, type, chunks, ending }: Sent, isStream: boolean) {
  const calls: string[] = [];
  let body = '';
  let isLeft = false;
  /** The upstream may still read the request. */
  let isRunning = true;
  const end = (how: string): void => {
    assert.ok(!isRunning, `${how} while the upstream is still running`);
    calls.push(how);
  };
  const sink: TranslatedSink = {
    onHead: (seen) => void calls.push(`head ${seen}`),
    onChunk: (chunk) => {
      if (calls.at(-1) !== 'body') calls.push('body');
      body += chunk.toString();
      return true;
    },
    onEnd: () => end('end'),
    onFault: () => end('fault'),
    onBrokenOff: () => end('broken off'),
  };
  const translation = translations[protocol] ?? assert.fail();
  const common = { requestId: 'r', model: 'm', created: 1, singleToolCall: false };
  const reading = { translation, isStream, options: { ...common, includesUsage: true } };
  const answer = new TranslatedAnswer(reading, sink, () => {
    isLeft = true;
    isRunning = false;
  });
  answer.onHead(status, ['content-type', type, 'content-length', '1']);
  chunks.forEach((chunk, index) => {
    if (!isLeft) answer.onChunk(chunk, ending === 'end' && index === chunks.length - 1);
  });
  isRunning = false;
  if (!isLeft && ending === 'end') answer.onEnd();
  else if (!isLeft && ending !== 'end') answer.onFault({ kind: ending, detail: '' });
  return { calls, body, usage: answer.usage };
}

const pieces = ({ begun, ended, failure, message }: Vendor): readonly Buffer[] => [
  begun,
  ended,
  failure,
  Buffer.from(JSON.stringify(message)),
  Buffer.from('{"error":{"message":"x"}}'),
  Buffer.from('data: {"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}\n\n'),
  Buffer.from([0, 0xff, 0x0a, 0x0a]),
];

const sentBy = (vendor: Vendor): fc.Arbitrary<Sent> =>
  fc
    .record({
      status: fc.constantFrom(200, 200, 200, 204, 302, 400, 429, 529),
      type: fc.constantFrom('text/event-stream', 'application/json', ''),
      bytes: fc.array(fc.constantFrom(...pieces(vendor)), { maxLength: 4 }),
      cuts: fc.array(fc.nat({ max: 2000 }), { maxLength: 6 }),
      ending: fc.constantFrom<Ending>('end', 'broken', 'stalled', 'unread'),
    })
    .map(({ status, type, bytes, cuts, ending }) => {
      const whole = Buffer.concat(bytes);
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((to, index) => whole.subarray(places[index], to));
      return { status, type, ending, chunks: chunks.filter((chunk) => chunk.length > 0) };
    });

const orders =
  /^(?:head \d+,body,end|head \d+,body,broken off|head \d+,body,fault|head [45]\d\d,fault|fault)$/;

for (const vendor of vendors) {
  describe(`an answer of protocol ${vendor.protocol}`, () => {
    it('is reported in order and ended once, for any input', () => {
      fc.assert(
        fc.property(sentBy(vendor), fc.boolean(), (sent, isStream) => {
          const { calls, body, usage } = told(vendor, sent, isStream);
          assert.match(calls.join(), orders);
          if (calls.at(-1) === 'broken off') assert.equal(usage, null);
          if (calls[0] === 'head 200' && calls.at(-1) === 'broken off') {
            assert.match(body, /"error":[^]*data: \[DONE\]\n\n$/);
          }
          if (sent.status >= 400) assert.ok(calls[0] === `head ${sent.status}`);
        }),
        { numRuns: 2000 },
      );
    });

    it('as a stream is the same for any split', () => {
      const whole = Buffer.concat([vendor.begun, vendor.ended]);
      const sent = { status: 200, type: 'text/event-stream', ending: 'end' } as const;
      const { body, usage } = told(vendor, { ...sent, chunks: [whole] }, true);
      assert.deepEqual([usage?.promptTokens, usage?.completionTokens], [11, 7]);
      for (let cut = 1; cut < whole.length; cut++) {
        const chunks = [whole.subarray(0, cut), whole.subarray(cut)];
        assert.equal(told(vendor, { ...sent, chunks }, true).body, body);
      }
    });
  });
}
