// Determines the permissions of a caller.

import type { ConfigState } from '../../../projections/config/state.ts';
import { verbsHeld } from '../../../projections/config/grants.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import type { Verb } from '../../lib/vocabulary.ts';
import type { Caller } from './authorise.ts';

/** Null if the caller is not a principal. */
export function holderOf(caller: Caller): Holder | null {
  if (!('principalId' in caller)) return null;
  const tokenId = caller.kind === 'admin_token' ? caller.tokenId : null;
  return { principalId: caller.principalId, tokenId };
}

/** Null if the caller is not a principal, or if its principal was deleted. */
export function verbsOfCaller(state: ConfigState, caller: Caller): ReadonlySet<Verb> | null {
  const holder = holderOf(caller);
  return holder === null ? null : verbsHeld(state, holder);
}
