// Tests the estimated usage of an answer without readable usage.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { totalsOnly } from '../../src/usage/counts.ts';
import { estimateAnswer } from '../../src/usage/estimate-answer.ts';
import { delta, frame } from '../harness/upstream/upstream.ts';

const words = Array.from({ length: 400 }, () => 'four');
const stream = words.map(delta).join('');
const streamed = (text: string, bytes = text.length) =>
  estimateAnswer('prompt_and_completion', 9, { bytes, tail: text.slice(-8192), isStream: true });

describe('an estimate', () => {
  it('of a stream is a quarter of the bytes of its text, whatever its frames add', () => {
    const estimate = streamed(stream);
    assert.equal(estimate?.promptTokens, 9);
    const completion = estimate?.completionTokens ?? 0;
    assert.ok(completion >= 390 && completion <= 420, `${completion}`);
  });

  it('of a stream reads the text of each dialect that clients speak', () => {
    const frames = [
      { choices: [{ text: 'x'.repeat(400) }] },
      { type: 'response.output_text.delta', delta: 'x'.repeat(400) },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'x'.repeat(400) } },
      { choices: [{ delta: { reasoning_content: 'x'.repeat(400) } }] },
      { choices: [{ delta: { tool_calls: [{ function: { arguments: 'x'.repeat(400) } }] } }] },
    ];
    for (const one of frames) assert.equal(streamed(frame(one))?.completionTokens, 100);
  });

  it('of a stream without output is its prompt', () => {
    assert.equal(
      streamed(frame({ choices: [{ delta: { role: 'assistant' } }] }))?.completionTokens,
      0,
    );
  });

  it('of anything else, or of what is compressed, is a quarter of its bytes', () => {
    const whole = { bytes: 4001, tail: '{}', isStream: false };
    assert.equal(estimateAnswer('prompt_and_completion', 0, whole)?.completionTokens, 1001);
    const packed = { bytes: 4001, tail: null, isStream: true };
    assert.equal(estimateAnswer('prompt_and_completion', 0, packed)?.completionTokens, 1001);
  });

  it('is only the prompt for routes without a completion, and nothing for audio and images', () => {
    const whole = { bytes: 4001, tail: '{}', isStream: false };
    assert.deepEqual(
      estimateAnswer('prompt', 7, whole),
      totalsOnly({ promptTokens: 7, completionTokens: 0 }),
    );
    assert.equal(estimateAnswer('nothing', 7, whole), null);
  });
});
