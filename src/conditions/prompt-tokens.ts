// Condition on the estimated length of the prompt, made before the request is sent.

import { amounts } from './asked.ts';
import { condition } from './condition.ts';
import { compileRange, rangePhrases } from './range.ts';

export const promptTokens = condition({
  id: 'prompt',
  label: 'Prompt size',
  effort: 1,
  fields: {
    min_prompt_tokens: { type: 'tokens', label: 'Prompt tokens, min' },
    max_prompt_tokens: { type: 'tokens', label: 'Prompt tokens, max' },
  },
  bounds: ['min_prompt_tokens', 'max_prompt_tokens'],
  compile: ({ min_prompt_tokens: least, max_prompt_tokens: most }) =>
    compileRange('prompt_tokens', { least, most }, amounts.promptTokens),
  phrases: ({ min_prompt_tokens: least, max_prompt_tokens: most }, { number }) =>
    rangePhrases({ least, most }, (range) => `prompt ${range} tokens`, number),
  matched: ({ prompt_estimate: tokens }, { number }) => `${number(tokens)} tokens`,
});
