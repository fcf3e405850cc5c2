// Encodes text for headers, because names may contain characters that headers cannot.

/** Returns printable ASCII unchanged, and other text as UTF-8 with escapes. */
export const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
