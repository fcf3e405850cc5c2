// The state of a request while its chain is tried: its record, the upstream headers, and the
// results so far.

import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { GatewayRefusal } from './answer.ts';
import type { HeldAnswer } from './held-answer.ts';
import type { Plan } from './plan.ts';
import type { ChainWalk } from './walk.ts';

export type Sending = Readonly<{
  walk: ChainWalk;
  plan: Plan;
  /** Without the credential: alternating lower-case names and values. */
  headers: readonly string[];
}> & {
  held: HeldAnswer | null;
  /** The refusal of the first candidate whose protocol cannot express the request. */
  inexpressible: ProtocolRefusal | null;
  /** The refusal of the last backend without a free slot. */
  overloaded: GatewayRefusal | null;
};
