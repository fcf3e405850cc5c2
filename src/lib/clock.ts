// Converts times: epoch milliseconds in the program, RFC 3339 outside. The core receives numbers,
// never a clock.

export type Clock = () => number;

export const toRfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();

/** Caches the text of the current second, for times that mostly increase. */
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
