// Canonical JSON: object keys sorted by code unit, no white space, undefined members left out. Equal values give equal bytes,
// so digests over it can be compared between processes and releases.

export function canonicalJson(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // Many are made at once: no lists of pairs between, no copy, and keys as they sort by themselves.
  let text = '';
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key];
    if (member === undefined) continue;
    const shown = isObject(member) ? canonicalJson(member) : JSON.stringify(member);
    text += text === '' ? `${JSON.stringify(key)}:${shown}` : `,${JSON.stringify(key)}:${shown}`;
  }
  return `{${text}}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
