// What a decider answers: the events that a command causes, none for a command that changes nothing, or a refusal.

import type { GwEvent } from '../../events/catalogue.ts';
import type { Refusal } from '../lib/refusal.ts';

export type Decision = readonly GwEvent[] | Refusal;
