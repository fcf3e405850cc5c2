// Deletes entities in an order that the rules allow.

import { parseStream } from '../../../events/catalogue.ts';
import type { Noun } from '../../../events/nouns.ts';
import { deletionOrder, kindOf } from '../restore/kinds.ts';
import type { Unfolding } from './unfolding.ts';

export type Kept = Readonly<{ stream: string; message: string }>;

/**
 * Repeats until nothing more can be deleted, because one entity may block another. Returns what
 * remains and why.
 */
export function removeAll(on: Unfolding, streams: readonly string[]): readonly Kept[] {
  let left = deletionOrder.flatMap((noun) => streamsOf(new Set(streams), noun));
  for (;;) {
    const kept = left.flatMap((one) => {
      const refusal = on.take(kindOf(one.noun)?.remove(on.state(), one.id) ?? []);
      return refusal === null ? [] : { one, message: refusal.message };
    });
    if (kept.length === 0) return [];
    if (kept.length === left.length) {
      return kept.map(({ one, message }) => ({ stream: one.stream, message }));
    }
    left = kept.map(({ one }) => one);
  }
}

/** By id. */
export const streamsOf = (chosen: ReadonlySet<string>, noun: Noun) =>
  [...chosen]
    .flatMap((stream) => {
      const { noun: own, id } = parseStream(stream);
      return own === noun ? { stream, noun, id } : [];
    })
    .toSorted((a, b) => a.id - b.id);
