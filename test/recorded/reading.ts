// Defines a vendor-independent form of an answer, to compare a recorded answer with the gateway's.

/** The answer of a chat, or an equivalent of one. */
export type Reading = Readonly<{
  text: string;
  reasoning: string;
  calls: readonly Readonly<{ name: string; arguments: unknown }>[];
  finish: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  cachedTokens: number | null;
  /** The error message. */
  error: string | null;
}>;

export const nothingRead: Reading = {
  text: '',
  reasoning: '',
  calls: [],
  finish: null,
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  error: null,
};

/** Lists the fields that differ, each with both values. */
export function differences(expected: Reading, given: Reading): readonly string[] {
  const names = Object.keys(nothingRead).filter(isMember);
  return names.flatMap((name) => {
    const [wanted, got] = [JSON.stringify(expected[name]), JSON.stringify(given[name])];
    return wanted === got ? [] : [`${name}: ${shortened(wanted)} became ${shortened(got)}`];
  });
}

const isMember = (name: string): name is keyof Reading => name in nothingRead;
const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** The values of a stream of server-sent events, with any line ending. Excludes the end marker. */
export const valuesOf = (stream: string): readonly unknown[] =>
  stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '[DONE]')
    .map((data): unknown => JSON.parse(data));
