// A request on its way along its chain: its record, what all upstreams are sent, and what has come of the attempts so far.

import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { GatewayRefusal } from './answer.ts';
import type { HeldAnswer } from './held-answer.ts';
import type { Plan } from './plan.ts';
import type { ChainWalk } from './walk.ts';

export type Sending = Readonly<{
  walk: ChainWalk;
  plan: Plan;
  /** For the upstreams, all but the credential: names in lower case and values in turn. */
  headers: readonly string[];
}> & {
  /** The last answer that came. */
  held: HeldAnswer | null;
  /** The refusal of the first candidate whose protocol cannot express the request. */
  inexpressible: ProtocolRefusal | null;
  /** The refusal of the last backend that had no slot for the request. */
  crowded: GatewayRefusal | null;
};
