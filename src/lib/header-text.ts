// Encodes text for headers, because names may contain characters that headers cannot.

/** Printable ASCII stays unchanged. Other text is UTF-8 with escapes. */
export const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
