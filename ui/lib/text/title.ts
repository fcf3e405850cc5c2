// Builds the title of the browser tab.

/** `chat · Frontend models · gw`: the open record first, because tabs cut off the end. Duplicates and empty names are dropped. */
export const titleOf = (names: readonly string[]): string =>
  [...new Set([...names, 'gw'].filter((name) => name !== ''))].join(' · ');
