// What the routes of the history, of change requests and of whole configurations need of the program.

import type { Alarms } from '../../control/log/alarms.ts';
import type { ReadManagedFiles } from '../../control/configuration/managed-files.ts';
import type { Fleet } from '../../control/fleet/fleet.ts';
import type { AskRouted } from '../../control/history/routed.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Clock } from '../../lib/clock.ts';

/** `reports` is for statements that may take longer. */
export type HistoryNeeds = Pick<ControlPlane, 'db' | 'reports' | 'vault'> &
  Readonly<{
    /** Configurations with the tables by which they route. */
    routed: AskRouted;
    /** The replicas that report to this process. */
    fleet: Fleet;
    /** What declarative files manage. */
    readManaged: ReadManagedFiles;
    /** What says that the log is not what it was. */
    alarms: Alarms;
    clock: Clock;
    newId: () => string;
  }>;
