// What the caller of a request may do.

import type { ConfigState } from '../../../projections/config/state.ts';
import { verbsHeld } from '../../../projections/config/grants.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import type { Verb } from '../../lib/vocabulary.ts';
import type { Caller } from './authorise.ts';

/** Null for a caller that is no principal. */
export function holderOf(caller: Caller): Holder | null {
  if (!('principalId' in caller)) return null;
  const tokenId = caller.kind === 'admin_token' ? caller.tokenId : null;
  return { principalId: caller.principalId, tokenId };
}

/** Null when the caller is no principal, or its principal is gone. */
export function verbsOfCaller(state: ConfigState, caller: Caller): ReadonlySet<Verb> | null {
  const holder = holderOf(caller);
  return holder === null ? null : verbsHeld(state, holder);
}
