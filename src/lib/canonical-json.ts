// Writes canonical JSON: keys sorted by code unit, no white space, no undefined members. Equal
// values give equal bytes, so digests are comparable between processes and releases.

export function canonicalJson(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // Makes no intermediate lists or copies, because it is called often.
  let text = '';
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key];
    if (member === undefined) continue;
    const shown = isObject(member) ? canonicalJson(member) : JSON.stringify(member);
    text += text === '' ? `${JSON.stringify(key)}:${shown}` : `,${JSON.stringify(key)}:${shown}`;
  }
  return `{${text}}`;
}

/** The same value with the keys of all objects sorted. */
export function withSortedKeys<Value>(value: Value): Value;
export function withSortedKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map((member: unknown) => withSortedKeys(member));
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key])]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
