// Time as the program sees it: epoch milliseconds inside, RFC 3339 outside. The core gets a number, never a clock.

export type Clock = () => number;

export const toRfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();

/** The same for times that mostly go forward: the text of a second is made once. */
export function createStamps(): (epochMs: number) => string {
  let second = -1;
  let prefix = '';
  return (epochMs) => {
    const at = Math.floor(epochMs / 1000);
    if (at !== second) {
      second = at;
      prefix = toRfc3339(at * 1000).slice(0, -'000Z'.length);
    }
    return `${prefix}${String(epochMs - at * 1000).padStart(3, '0')}Z`;
  };
}
