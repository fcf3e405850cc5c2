// Parses samples from the Prometheus text format
// (https://prometheus.io/docs/instrumenting/exposition_formats/). Skips malformed lines.

export type Sample = Readonly<{
  name: string;
  labels: ReadonlyMap<string, string>;
  /** A finite number. */
  value: number;
}>;

const noLabels: ReadonlyMap<string, string> = new Map();

/** In order. Skips comments, other names and non-numeric values. */
export function* samplesIn(text: string, isWanted: (name: string) => boolean): Generator<Sample> {
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    const sample = readLine(text, from, end, isWanted);
    if (sample !== null) yield sample;
    from = end + 1;
  }
}

function readLine(
  text: string,
  from: number,
  end: number,
  isWanted: (name: string) => boolean,
): Sample | null {
  let at = from;
  while (at < end && isNameCharacter(text.charCodeAt(at))) at++;
  // Most lines end here: a histogram alone has one line per bucket.
  const name = text.slice(from, at);
  if (at === from || !isWanted(name)) return null;
  let labels = noLabels;
  if (text[at] === '{') {
    const read = readLabels(text, at + 1, end);
    if (read === null) return null;
    ({ labels, at } = read);
  }
  const [written = ''] = text.slice(at, end).trim().split(/\s/, 1);
  const value = written === '' ? Number.NaN : Number(written);
  return Number.isFinite(value) ? { name, labels, value } : null;
}

const isNameCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x3a) ||
  code === 0x5f;

const label = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/y;

/** Parses from after the opening brace. Values may contain braces, commas and escaped quotes. */
function readLabels(
  text: string,
  from: number,
  end: number,
): Readonly<{ labels: ReadonlyMap<string, string>; at: number }> | null {
  const labels = new Map<string, string>();
  let at = from;
  while (text[at] !== '}') {
    label.lastIndex = at;
    const [, name, value] = label.exec(text) ?? [];
    if (name === undefined || value === undefined || label.lastIndex > end) return null;
    labels.set(name, value.replaceAll(/\\(.)/g, unescaped));
    at = label.lastIndex;
    while (text[at] === ' ') at++;
  }
  return { labels, at: at + 1 };
}

const unescaped = (_: string, escaped: string): string => (escaped === 'n' ? '\n' : escaped);
