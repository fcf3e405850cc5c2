// What an answer says, whichever vendor's words it is in: the shape in which a recorded answer and what the
// gateway makes of it are compared.

/** Of a chat, or of what stands for one. */
export type Reading = Readonly<{
  text: string;
  reasoning: string;
  calls: readonly Readonly<{ name: string; arguments: unknown }>[];
  finish: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  cachedTokens: number | null;
  /** The message of an error. */
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

/** Names of what differs, each with both values. */
export function differences(expected: Reading, given: Reading): readonly string[] {
  const names = Object.keys(nothingRead).filter(isMember);
  return names.flatMap((name) => {
    const [wanted, got] = [JSON.stringify(expected[name]), JSON.stringify(given[name])];
    return wanted === got ? [] : [`${name}: ${shortened(wanted)} became ${shortened(got)}`];
  });
}

const isMember = (name: string): name is keyof Reading => name in nothingRead;
const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** The values of a stream of server-sent events, in any of the line ends that vendors use; a mark of the end is none. */
export const valuesOf = (stream: string): readonly unknown[] =>
  stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '[DONE]')
    .map((data): unknown => JSON.parse(data));
