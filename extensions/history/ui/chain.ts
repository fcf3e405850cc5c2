// Verifies the hash chain between the events of a page in the browser, independently of the server.

import { nodeHash } from '../../../events/hashed-text.ts';

type Link = Readonly<{ position: number; leaf_hash: string; hash: string }>;

/** `checked` counts the events whose hash follows from the event before them; `broken` is the first position whose hash does not. */
export type ChainCheck = Readonly<{ checked: number; broken: number | null }>;

/** `links` can be in any order. An event is not checked if the event before it is missing. */
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
