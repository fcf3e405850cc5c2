// Generates damaged stream events from a seed. The same seed makes the same damage. Fast enough for
// a million events.

type Dice = (sides: number) => number;

/** Mulberry32, a small and fast generator. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  'error',
  '[DONE]',
  '\ud800',
  '\0',
  '"}',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'error', error: {} },
  { __proto__: null, constructor: 1, toString: 1, hasOwnProperty: 1 },
];

/**
 * Loses, doubles, moves, splits, merges or changes about half of the frames. `count` is their
 * number.
 */
export function mutated(frames: readonly string[], dice: Dice) {
  const pieces: Buffer[] = [];
  let count = 0;
  for (const frame of frames) {
    const way = dice(waysToLeave);
    if (way < waysToMutate) count++;
    if (way === 0) continue;
    if (way === 1) pieces.push(Buffer.from(frame));
    if (way === 2) pieces.push(Buffer.from(frames[dice(frames.length)] ?? ''));
    pieces.push(changed(frame, way, dice));
  }
  return { bytes: Buffer.concat(pieces), count };
}

const waysToMutate = 14;
const waysToLeave = 28;

function changed(frame: string, way: number, dice: Dice): Buffer {
  switch (way) {
    case 3:
      return Buffer.from(frame.slice(0, dice(frame.length)));
    case 4:
      return Buffer.from(frame.trimEnd());
    case 5:
    case 6: {
      const bytes = Buffer.from(frame);
      bytes[dice(bytes.length)] = dice(256);
      return bytes;
    }
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
      return Buffer.from(withValue(frame, dice));
    case 13:
      return Buffer.from(frame.replace(/[{,]"(\w)/, '$&x'));
    default:
      return Buffer.from(frame);
  }
}

/** Replaces, removes or adds a member. */
function withValue(frame: string, dice: Dice): string {
  const [, before, json, after] = /^([^]*?data: ?)(\{.*\})([^]*)$/.exec(frame) ?? [];
  if (before === undefined || json === undefined) return frame;
  let count = 0;
  const parsed: unknown = JSON.parse(json, (_, value: unknown) => (count++, value));
  const chosen = dice(count);
  const value = dice(5) === 0 ? undefined : values[dice(values.length)];
  count = 0;
  const text = JSON.stringify(parsed, (_, one: unknown) => (count++ === chosen ? value : one));
  return before + (text ?? '') + (after ?? '');
}
