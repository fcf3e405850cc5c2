// Tests that the counts of an answer reach clients of every API without loss: written in the names of
// the API, they read back as the same counts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { usageMembers } from '../../src/protocols/chat-answer.ts';
import { messageUsage } from '../../src/protocols/messages/usage.ts';
import { chatUsage } from '../../src/protocols/openai/usage.ts';
import { ResponseWriter } from '../../src/protocols/responses/response-writer.ts';
import type { UsageReport } from '../../src/usage/counts.ts';
import { anthropicUsage } from '../../src/usage/dialects/anthropic.ts';
import { readAs } from '../../src/usage/read-report.ts';
import { reportOf } from '../harness/usage-report.ts';

const full = reportOf(1000, 100, {
  cacheReadTokens: 600,
  cacheWrite5mTokens: 100,
  cacheWrite1hTokens: 50,
  inputAudioTokens: 20,
  inputImageTokens: 10,
  reasoningTokens: 40,
  outputAudioTokens: 30,
  outputImageTokens: 5,
  serverToolCalls: { web_search: 2 },
  serviceTier: 'standard',
});

function responseOf(usage: UsageReport) {
  const writer = new ResponseWriter({
    requestId: 'request-1',
    model: 'house',
    created: 1,
    echo: {},
    names: new Map(),
    signer: { protocol: 'gemini', model: 'house' },
  });
  writer.finish(null, usage);
  return writer.response;
}

describe('the usage of an answer', () => {
  const details = {
    cached_tokens: 600,
    cache_write_tokens: 150,
    cache_creation_token_details: {
      ephemeral_5m_input_tokens: 100,
      ephemeral_1h_input_tokens: 50,
    },
    audio_tokens: 20,
    image_tokens: 10,
  };

  it('has all details in a chat', () => {
    assert.deepEqual(usageMembers(full), {
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 100,
        total_tokens: 1100,
        prompt_tokens_details: details,
        completion_tokens_details: { reasoning_tokens: 40, audio_tokens: 30, image_tokens: 5 },
        server_tool_use: { web_search_requests: 2 },
      },
      service_tier: 'default',
    });
  });

  it('has only the details that are known', () => {
    assert.deepEqual(usageMembers(reportOf(3, 4)), {
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
    assert.deepEqual(usageMembers(null), {});
  });

  it('has the details of the Messages API in a message', () => {
    assert.deepEqual(messageUsage(full), {
      input_tokens: 250,
      cache_creation_input_tokens: 150,
      cache_read_input_tokens: 600,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 50 },
      output_tokens: 100,
      output_tokens_details: { thinking_tokens: 40 },
      server_tool_use: { web_search_requests: 2 },
      service_tier: 'standard',
    });
    assert.equal(messageUsage({ ...full, serviceTier: 'default' })['service_tier'], 'standard');
  });

  it('has all details in a response', () => {
    const { usage, service_tier } = responseOf(full);
    assert.equal(service_tier, 'default');
    assert.deepEqual(usage, {
      input_tokens: 1000,
      input_tokens_details: details,
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 40, audio_tokens: 30, image_tokens: 5 },
      total_tokens: 1100,
      server_tool_use: { web_search_requests: 2 },
    });
  });

  const part = fc.option(fc.nat(100));
  const drawn = fc
    .record({
      cacheReadTokens: part,
      cacheWrite5mTokens: part,
      inputAudioTokens: part,
      inputImageTokens: part,
      reasoningTokens: part,
      outputAudioTokens: part,
      outputImageTokens: part,
      serverToolCalls: fc.option(
        fc.integer({ min: 1, max: 9 }).map((web_search) => ({ web_search })),
      ),
      serviceTier: fc.constantFrom(null, 'flex', 'priority'),
    })
    .map((more) => reportOf(1000, 1000, more));
  const withLongWrites = drawn.map((report) =>
    report.cacheWrite5mTokens === null ? report : { ...report, cacheWrite1hTokens: 7 },
  );

  it('reads back from a chat and from a response', () => {
    fc.assert(
      fc.property(fc.oneof(drawn, withLongWrites), (report) => {
        assert.deepEqual(chatUsage(usageMembers(report)), report);
        const reasoningTokens = report.reasoningTokens ?? 0;
        assert.deepEqual(chatUsage(responseOf(report)), { ...withCache(report), reasoningTokens });
      }),
    );
  });

  it('reads back from a message, except for media', () => {
    const media = {
      inputAudioTokens: null,
      inputImageTokens: null,
      outputAudioTokens: null,
      outputImageTokens: null,
    };
    fc.assert(
      fc.property(fc.oneof(drawn, withLongWrites), (report) => {
        const read = readAs(anthropicUsage, messageUsage(report));
        const { cacheWrite5mTokens: short, cacheWrite1hTokens: long } = report;
        const cacheWrite1hTokens = (short ?? 0) + (long ?? 0) > 0 ? (long ?? 0) : null;
        assert.deepEqual(read, { ...withCache(report), ...media, cacheWrite1hTokens });
      }),
    );
  });
});

/** Both APIs require the counts of the cache, which are 0 if they are not known. */
const withCache = (report: UsageReport): UsageReport => ({
  ...report,
  cacheReadTokens: report.cacheReadTokens ?? 0,
  cacheWrite5mTokens: report.cacheWrite5mTokens ?? 0,
});
