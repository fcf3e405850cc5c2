// What was said in a chat: as it is sent, and as it stands again when a message came to nothing.

export type Turn = Readonly<{ role: 'user' | 'assistant'; content: string }>;

type Said = Readonly<{ turns: readonly Turn[]; answer: string; prompt: string }>;

const isUnanswered = (turns: readonly Turn[]): boolean => turns.at(-1)?.role === 'user';

/** With the last answer, and what is asked now. What was refused without one is no part of the chat. */
export const turnsWith = ({ turns, answer, prompt }: Said): readonly Turn[] => [
  ...(answer === '' && isUnanswered(turns) ? turns.slice(0, -1) : turns),
  ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer }]),
  { role: 'user', content: prompt },
];

type Message = Readonly<{ role: 'system' | Turn['role']; content: string }>;

export const messagesOf = (system: string, turns: readonly Turn[]): readonly Message[] =>
  system.trim() === '' ? turns : [{ role: 'system', content: system.trim() }, ...turns];

/** A message that was not answered can be sent again: it stands in its field, unless another is typed there. */
export const promptAgain = ({ turns, answer, prompt }: Said): string =>
  answer === '' && prompt === '' && isUnanswered(turns) ? (turns.at(-1)?.content ?? '') : prompt;
