// Describes the usage of Amazon Bedrock's Converse API. Its `inputTokens` excludes cache reads and
// writes.

import { addsTo, both, entries, ignored, is, object } from './field.ts';
import type { Dialect } from './field.ts';

export const bedrockUsage: Dialect = {
  claims: (given) => Object.hasOwn(given, 'inputTokens') || Object.hasOwn(given, 'outputTokens'),
  usage: object({
    inputTokens: is('promptTokens'),
    outputTokens: is('completionTokens'),
    cacheReadInputTokens: both(is('cacheReadTokens'), addsTo('promptTokens')),
    // It is read before the sum of both, which has no time to live.
    cacheDetails: entries(
      { by: 'ttl', count: 'inputTokens' },
      { '5m': addsTo('cacheWrite5mTokens'), '1h': addsTo('cacheWrite1hTokens') },
    ),
    cacheWriteInputTokens: both(is('cacheWrite5mTokens'), addsTo('promptTokens')),
    totalTokens: ignored.derived,
  }),
  settle: () => undefined,
};
