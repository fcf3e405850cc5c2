// What the browser's tab is called.

/** `chat · Frontend models · gw`: what is open first, for tabs cut the end off. Each name is there once, and an empty one not at all. */
export const titleOf = (names: readonly string[]): string =>
  [...new Set([...names, 'gw'].filter((name) => name !== ''))].join(' · ');
