// Condition on whether the answer is streamed.

import { amounts } from './asked.ts';
import { condition } from './condition.ts';

const describe = (isStream: boolean): string => (isStream ? 'streamed' : 'not streamed');

export const stream = condition({
  id: 'stream',
  label: 'Stream',
  effort: 1,
  fields: {
    stream: {
      type: 'flag',
      label: 'Stream',
      flags: { any: 'Streamed or not', true: 'Streamed', false: 'Not streamed' },
    },
  },
  compile: ({ stream }) =>
    stream === null
      ? null
      : {
          holds: { amount: amounts.stream, min: Number(stream), max: Number(stream) },
          failed: () => ['stream'],
        },
  phrases: ({ stream }) => (stream === null ? [] : [{ text: describe(stream) }]),
  matched: ({ stream }) => describe(stream),
});
