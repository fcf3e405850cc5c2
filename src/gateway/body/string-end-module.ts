// Assembles the WebAssembly module that finds the end of a string with SIMD instructions. It is written as instructions, so
// that it needs no compiler.

/** Blocks may begin in the last bytes of the memory's contents, so it needs this many more. */
const blockBytes = 16;

type Code = readonly number[];

const code = (...parts: readonly (number | Code)[]): Code => parts.flat();

/** LEB128, signed. */
function number(value: number): Code {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...number(rest)];
}

/** LEB128, unsigned. */
const size = (value: number): Code =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...size(value >> 7)];

const sized = (content: Code): Code => [...size(content.length), ...content];
const section = (id: number, content: Code): Code => [id, ...sized(content)];
const text = (value: string): Code => sized([...Buffer.from(value)]);

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const constant = (value: number): Code => [0x41, ...number(value)];
const i32 = { lessUnsigned: 0x49, trailingZeros: 0x68, add: 0x6a, subtract: 0x6b, and: 0x71 };
const bits = { or: 0x72, xor: 0x73, shiftLeft: 0x74, shiftRight: 0x76 };
const control = { block: [0x02, 0x40], loop: [0x03, 0x40], when: [0x04, 0x40], end: 0x0b };
const branch = (depth: number): Code => [0x0c, depth];
const returned = 0x0f;
const isZero = 0x45;
const vector = { load: [0xfd, 0x00, 0x00, 0x00], splat: [0xfd, 0x0f] };
const bytesOf = { equal: [0xfd, 0x23], mask: [0xfd, 0x64] };
const types = { i32: 0x7f, v128: 0x7b, function: 0x60 };

const length = 0;
/** 1 when the first byte of the block is escaped. */
const escaped = 1;
const at = 2;
const slashes = 3;
const quotes = 4;
/** A bit for each escaping backslash, and for the byte after each run of backslashes that escapes it. */
const escapes = 5;
const block = 6;

const maskOf = (byte: number): Code =>
  code(get(block), constant(byte), vector.splat, bytesOf.equal, bytesOf.mask);
const oddBits = constant(0x55555555 << 1);

/**
 * Finds which characters are escaped in a few operations for a whole block (simdjson, `json_escape_scanner`).
 * Subtraction carries through each run of backslashes.
 */
// oxfmt-ignore
const dropEscapedQuotes = code(
  // escapes = (((potential << 1) | odd) - potential) ^ odd, where potential = slashes & ~escaped
  get(slashes), get(escaped), constant(-1), bits.xor, i32.and, set(escapes),
  get(escapes), constant(1), bits.shiftLeft, oddBits, bits.or,
  get(escapes), i32.subtract, oddBits, bits.xor, set(escapes),
  // quotes = quotes & ~(escapes ^ (slashes | escaped))
  get(quotes), get(escapes), get(slashes), get(escaped), bits.or, bits.xor,
  constant(-1), bits.xor, i32.and, set(quotes),
  // escaped = the last byte of the block escapes the next one
  get(escapes), get(slashes), i32.and, constant(blockBytes - 1), bits.shiftRight, set(escaped),
);

/**
 * `find(length, escaped)` returns the offset of the first quote that is not escaped. Without one, it returns -2 when the
 * last byte escapes the next one, otherwise -1.
 */
// oxfmt-ignore
const findBody = code(
  control.loop,
  get(at), get(length), i32.lessUnsigned, isZero, control.when,
  constant(-1), get(escaped), i32.subtract, returned,
  control.end,
  get(at), vector.load, set(block),
  maskOf(0x5c), set(slashes),
  maskOf(0x22), set(quotes),
  get(slashes), get(escaped), bits.or, control.when, dropEscapedQuotes, control.end,
  get(quotes), control.when, get(at), get(quotes), i32.trailingZeros, i32.add, returned,
  control.end,
  get(at), constant(blockBytes), i32.add, set(at),
  branch(0),
  control.end,
  constant(-1),
);

export type Find = (length: number, escaped: number) => number;

/** Returns `find`, which searches from the beginning of the memory. */
export function compileFinder(memory: WebAssembly.Memory): Find {
  const locals = [2, 4, types.i32, 1, types.v128];
  const binary = code(
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    section(1, [1, types.function, 2, types.i32, types.i32, 1, types.i32]),
    section(2, [1, ...text('js'), ...text('memory'), 0x02, 0x00, 1]),
    section(3, [1, 0]),
    section(7, [1, ...text('find'), 0x00, 0]),
    section(10, [1, ...sized([...locals, ...findBody, control.end])]),
  );
  const module = new WebAssembly.Module(Uint8Array.from(binary));
  const { exports } = new WebAssembly.Instance(module, { js: { memory } });
  const found = exports['find'];
  if (!isFind(found)) throw new Error('the scanner has no function');
  return found;
}

const isFind = (value: unknown): value is Find => typeof value === 'function';
