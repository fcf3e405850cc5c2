// Text that a header can carry: a name may hold what a header may not.

/** The text itself when it is printable ASCII, else its UTF-8 with escapes. */
export const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
