// Reads and writes a list as text with one line per part.

export const lines = (parts: readonly (string | number)[]): string => parts.join('\n');

export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '');
