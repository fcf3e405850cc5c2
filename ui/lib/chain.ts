// The chain of the log, computed anew where the page is shown: each hash follows from the one before it and the leaf of its event
// (RFC 6962 prefixes; see events/seal.ts). So a page of events is checked by the reader, not by who serves it.

type Link = Readonly<{ position: number; leaf_hash: string; hash: string }>;

/** `checked` are those that follow from the one before them on the page; `broken` is the first position that does not. */
export type ChainCheck = Readonly<{ checked: number; broken: number | null }>;

const nodePrefix = 1;

/** `links` in any order. Where a position is missing between two, nothing is said of the second. */
export async function checkLinks(links: readonly Link[]): Promise<ChainCheck> {
  const ordered = links.toSorted((a, b) => a.position - b.position);
  let checked = 0;
  for (const [index, link] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before === undefined || before.position + 1 !== link.position) continue;
    if ((await chainedHash(before.hash, link.leaf_hash)) !== link.hash) {
      return { checked, broken: link.position };
    }
    checked += 1;
  }
  return { checked, broken: null };
}

/** Whether the browser computes hashes: only on pages by HTTPS, or of the machine itself. */
export const canHash = (): boolean => 'subtle' in crypto && crypto.subtle !== undefined;

/** Of an event, by the hash before it and its leaf; hashes are 64 hex digits. */
export async function chainedHash(before: string, leaf: string): Promise<string> {
  const bytes = Uint8Array.of(nodePrefix, ...bytesOf(before), ...bytesOf(leaf));
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

export const bytesOf = (hex: string): readonly number[] =>
  (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
