// The past version that is shown: a version, a position or a time in the address, so that links show the same. While it is set, screens are
// read-only.

import { place } from './location.ts';

const name = 'as_of';

/** Null is the current version. */
export const asOf = (): string | null => place.get().query[name] ?? null;

export const isReadOnly = (): boolean => asOf() !== null;
