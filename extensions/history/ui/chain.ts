// Checks the chain between the events that a page shows, so that their reader need not believe the server.

import { nodeHash } from '../../../events/hashed-text.ts';

type Link = Readonly<{ position: number; leaf_hash: string; hash: string }>;

/** `checked` are those that follow from the one before them on the page; `broken` is the first position that does not. */
export type ChainCheck = Readonly<{ checked: number; broken: number | null }>;

/** `links` in any order. Where a position is missing between two, nothing is said of the second. */
export function checkLinks(links: readonly Link[]): ChainCheck {
  const ordered = links.toSorted((a, b) => a.position - b.position);
  let checked = 0;
  for (const [index, link] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before === undefined || before.position + 1 !== link.position) continue;
    if (nodeHash(before.hash, link.leaf_hash) !== link.hash) {
      return { checked, broken: link.position };
    }
    checked += 1;
  }
  return { checked, broken: null };
}
