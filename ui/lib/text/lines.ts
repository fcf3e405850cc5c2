// A list as the text of a field: a line a part, in order.

export const lines = (parts: readonly (string | number)[]): string => parts.join('\n');

export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '');
