// Text that a database of UTF-8 can hold as it is: well-formed, and without NUL.

export const isStorable = (text: string): boolean =>
  text.isWellFormed() && !text.includes('\u0000');
