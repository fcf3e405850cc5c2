// Condition on the requested number of tokens.

import { amounts } from './asked.ts';
import { condition } from './condition.ts';
import { compileRange, rangePhrases } from './range.ts';

export const maxTokens = condition({
  id: 'asked',
  label: 'Requested max_tokens',
  effort: 1,
  fields: {
    min_max_tokens: { type: 'tokens', label: 'Requested max_tokens, min' },
    max_max_tokens: { type: 'tokens', label: 'Requested max_tokens, max' },
  },
  bounds: ['min_max_tokens', 'max_max_tokens'],
  compile: ({ min_max_tokens: least, max_max_tokens: most }) =>
    compileRange('max_tokens', { least, most }, amounts.maxTokens),
  phrases: ({ min_max_tokens: least, max_max_tokens: most }, { number }) =>
    rangePhrases({ least, most }, (range) => `asks for ${range} tokens`, number),
  matched: ({ max_tokens: tokens }, { number }) =>
    tokens === null ? 'not set' : `${number(tokens)} tokens`,
});
