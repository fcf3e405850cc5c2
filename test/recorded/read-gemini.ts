// Reads a recorded response of generateContent as its vendor documents it, without the gateway's
// code. The events of a stream are responses whose parts are concatenated.

import { z } from 'zod';

import { nothingRead, valuesOf } from './reading.ts';
import type { Reading } from './reading.ts';

const count = z.number().default(0);

const answer = z.object({
  candidates: z
    .array(
      z.object({
        content: z
          .object({
            parts: z
              .array(
                z.object({
                  text: z.string().optional(),
                  thought: z.boolean().default(false),
                  functionCall: z
                    .object({ name: z.string(), args: z.unknown().optional() })
                    .optional(),
                }),
              )
              .default([]),
          })
          .optional(),
        finishReason: z.string().optional(),
      }),
    )
    .default([]),
  usageMetadata: z
    .object({
      promptTokenCount: count,
      toolUsePromptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: z.number().optional(),
    })
    .optional(),
});

const blocked = /SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR/;

export function readGemini(body: string, isStream: boolean): Reading {
  const values = isStream ? valuesOf(body) : [JSON.parse(body)];
  const answers = values.map((value) => answer.parse(value));
  const candidates = answers.flatMap((one) => one.candidates);
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const said = (isThought: boolean): string =>
    parts.map(({ text, thought }) => (thought === isThought ? text : '')).join('');
  const calls = parts.flatMap(({ functionCall: call }) =>
    call === undefined ? [] : [{ name: call.name, arguments: call.args ?? {} }],
  );
  const reason = candidates.findLast(({ finishReason }) => finishReason)?.finishReason;
  const usage = answers.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata;
  return {
    ...nothingRead,
    text: said(false),
    reasoning: said(true),
    calls,
    finish: finishOf(reason, calls.length > 0),
    promptTokens: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
    completionTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    cachedTokens: usage?.cachedContentTokenCount ?? null,
  };
}

/** A blocked prompt has no candidate, and therefore no finish reason. */
function finishOf(reason: string | undefined, hasCalls: boolean): string {
  if (reason === undefined || blocked.test(reason)) return 'content_filter';
  if (reason === 'MAX_TOKENS') return 'length';
  return hasCalls ? 'tool_calls' : 'stop';
}
