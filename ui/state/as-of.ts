// The moment whose configuration is shown: a snapshot version, a position of the log or a time. It stands in the address, so that
// a link shows what its sender saw. While it is set, screens offer no change.

import { place } from './location.ts';

const name = 'as_of';

/** Null is now. */
export const asOf = (): string | null => place.get().query[name] ?? null;

/** Nothing changes the past. */
export const isReadOnly = (): boolean => asOf() !== null;
