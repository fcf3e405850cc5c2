// Finds the vault items that entities reference, and those that they no longer reference.

import { parseStream } from '../../events/catalogue.ts';
import type { Noun } from '../../events/nouns.ts';
import { folds } from './nouns.ts';
import type { ConfigState, Slices } from './state.ts';

/** Empty if there is no such entity. */
export const vaultRefs = (state: ConfigState, stream: string): readonly string[] =>
  refsOf(state, parseStream(stream));

function refsOf<N extends Noun>(
  state: Pick<Slices, N>,
  { noun, id }: Readonly<{ noun: N; id: number }>,
): readonly string[] {
  const held = state[noun].byId.get(id);
  if (held === undefined) return [];
  return folds[noun].refs(held).filter((ref) => typeof ref === 'string');
}

export function refsLeft(
  { before, after }: Readonly<{ before: ConfigState; after: ConfigState }>,
  streams: ReadonlySet<string>,
): readonly string[] {
  return [...streams].flatMap((stream) => {
    const held = new Set(vaultRefs(after, stream));
    return vaultRefs(before, stream).filter((ref) => !held.has(ref));
  });
}
