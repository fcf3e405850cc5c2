// What the routes of frontend models, pools, prompt classes and the dry run need of the program.

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
    /** For statements that may take longer. */
    reports: Queryable;
    /** What prompts are classified with; null: none is. */
    encoders: Encoders | null;
    publisher: Publisher;
    routed: AskRouted;
    clock: Clock;
    log: Log;
  }>;
