// A stream of a chat server with every kind of delta, and characters of every width.

import { callPiece, chunk, done, framesOf } from './given.ts';

export const everything = framesOf(
  ': KEEP ALIVE\n\n',
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning: 'Größe 考える' }),
  chunk({ reasoning: '😀' }),
  chunk({ content: 'Let me see…\n' }),
  chunk(callPiece(0, '', { id: 'call_1', name: 'weather' })),
  chunk(callPiece(0, '{"city":"Zür')),
  chunk(callPiece(0, 'ich 🏔"}')),
  chunk(callPiece(1, '{}', { id: 'call_2', name: 'time' })),
  chunk({}, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
  done,
);
