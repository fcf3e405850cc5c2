// Stores the turns of a chat.

export type Turn = Readonly<{ role: 'user' | 'assistant'; content: string }>;

type Said = Readonly<{ turns: readonly Turn[]; answer: string; prompt: string }>;

const isUnanswered = (turns: readonly Turn[]): boolean => turns.at(-1)?.role === 'user';

/**
 * Adds the last response and the new message. Drops messages that were refused without a response.
 */
export const turnsWith = ({ turns, answer, prompt }: Said): readonly Turn[] => [
  ...(answer === '' && isUnanswered(turns) ? turns.slice(0, -1) : turns),
  ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer }]),
  { role: 'user', content: prompt },
];

type Message = Readonly<{ role: 'system' | Turn['role']; content: string }>;

export const messagesOf = (system: string, turns: readonly Turn[]): readonly Message[] =>
  system.trim() === '' ? turns : [{ role: 'system', content: system.trim() }, ...turns];

/** A message without a response goes back to its field, unless the user typed another. */
export const promptAgain = ({ turns, answer, prompt }: Said): string =>
  answer === '' && prompt === '' && isUnanswered(turns) ? (turns.at(-1)?.content ?? '') : prompt;
