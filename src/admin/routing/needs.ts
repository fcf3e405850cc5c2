// Declares the dependencies of the routes of frontend models, pools, prompt classes and the dry
// run.

import type { Queryable } from '@databases/pg';

import type { Encoders } from '../../classifier/encoder.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import type { AskRouted } from '../../control/history/routed.ts';
import type { Vaulting } from '../../control/providers/credential.ts';
import type { Publisher } from '../../control/publishing/publish.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export type RoutingNeeds = Vaulting &
  Revealing &
  Readonly<{
    /** Runs statements with a longer timeout. */
    reports: Queryable;
    /** Null if no encoder classifies prompts. */
    encoders: Encoders | null;
    publisher: Publisher;
    routed: AskRouted;
    clock: Clock;
    log: Log;
  }>;
