// Defines the result of a decider: the events of a command (none if it changes nothing), or a
// refusal.

import type { GwEvent } from '../../events/catalogue.ts';
import type { Refusal } from '../lib/refusal.ts';

export type Decision = readonly GwEvent[] | Refusal;
