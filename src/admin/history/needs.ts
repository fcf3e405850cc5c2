// Declares the dependencies of the routes of the history, change requests and whole configurations.

import type { Alarms } from '../../control/log/alarms.ts';
import type { ReadManagedFiles } from '../../control/configuration/managed-files.ts';
import type { Fleet } from '../../control/fleet/fleet.ts';
import type { AskRouted } from '../../control/history/routed.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Clock } from '../../lib/clock.ts';

/** `reports` runs statements with a longer timeout. */
export type HistoryNeeds = Pick<ControlPlane, 'db' | 'reports' | 'vault'> &
  Readonly<{
    /** Past configurations with their routing tables. */
    routed: AskRouted;
    fleet: Fleet;
    readManaged: ReadManagedFiles;
    alarms: Alarms;
    clock: Clock;
    newId: () => string;
  }>;
