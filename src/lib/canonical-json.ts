// Canonical JSON: object keys sorted by code unit, no white space, undefined members left out. Equal values give equal bytes,
// so digests over it can be compared between processes and releases.

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // Many are made at once: no lists of pairs between, and keys as they sort by themselves.
  let text = '';
  const members: Readonly<Record<string, unknown>> = { ...value };
  for (const key of Object.keys(members).toSorted()) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
