// Reads the lines of a file with their byte ranges: all of them as a stream, or single ones later.

export type Line = Readonly<{
  text: string;
  /** The bytes of the line, without its line end. */
  start: number;
  end: number;
}>;

const lineFeed = 10;
const carriageReturn = 13;
const decoder = new TextDecoder();

/** Yields some lines at a time. Memory holds only the current piece and an incomplete line. */
export async function* linesOf(file: Blob): AsyncGenerator<readonly Line[], void, undefined> {
  let rest: Uint8Array = new Uint8Array();
  let start = 0;
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const bytes = rest.length === 0 ? piece.value : joined(rest, piece.value);
    const lines: Line[] = [];
    let from = 0;
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
      lines.push(lineOf(bytes.subarray(from, at), start + from));
      from = at + 1;
    }
    rest = bytes.slice(from);
    start += from;
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [lineOf(rest, start)];
}

/** In order. Neighbors are read together. */
export async function readLines(file: Blob, places: readonly Place[]): Promise<readonly string[]> {
  const texts = new Map<Place, string>();
  for (const run of runsOf(places.toSorted((a, b) => a.start - b.start))) {
    const [first = { start: 0, end: 0 }] = run;
    const end = run.at(-1)?.end ?? 0;
    const bytes = new Uint8Array(await file.slice(first.start, end).arrayBuffer());
    for (const place of run) {
      const own = bytes.subarray(place.start - first.start, place.end - first.start);
      texts.set(place, decoder.decode(own));
    }
  }
  return places.map((place) => texts.get(place) ?? '');
}

type Place = Omit<Line, 'text'>;

/** A smaller gap between two lines is read too. `runBytes` bounds one read. */
const gapBytes = 64 * 1_024;
const runBytes = 4 * 1_024 * 1_024;

function runsOf(places: readonly Place[]): readonly Place[][] {
  const runs: Place[][] = [];
  for (const place of places) {
    const run = runs.at(-1);
    const isNear = place.start - (run?.at(-1)?.end ?? 0) < gapBytes;
    if (run !== undefined && isNear && place.end - (run[0]?.start ?? 0) < runBytes) run.push(place);
    else runs.push([place]);
  }
  return runs;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Files from other systems can have line ends of two bytes. */
function lineOf(bytes: Uint8Array, start: number): Line {
  const own = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  return { text: decoder.decode(own), start, end: start + own.length };
}
