// What the routes of operations need of the program: those of people, those of proxies, and those that report usage.

import type { Encoders } from '../../classifier/encoder.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import type { ManagedDeployment } from '../../control/deployment.ts';
import type { Alarms } from '../../control/log/alarms.ts';
import type { TakeSightings } from '../../control/log/witnesses.ts';
import type { Fleet } from '../../control/fleet/fleet.ts';
import type { TakeRefusals } from '../../control/fleet/fleet-refusals.ts';
import type { TakeServed } from '../../control/fleet/fleet-served.ts';
import type { Notifier } from '../../control/fleet/notify.ts';
import type { PlaneMeasures } from '../../control/fleet/plane-measures.ts';
import type { Publisher } from '../../control/publishing/publish.ts';
import type { refuseUnready } from '../../control/readiness.ts';
import type { Reconcile } from '../../control/usage/reconcile.ts';
import type { usageCourse } from '../../control/usage/usage-reports.ts';
import type { UsageIntake } from '../../control/usage/usage-intake.ts';
import type { UsageUpkeep } from '../../control/usage/usage-upkeep.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from './program.ts';

export type OperationNeeds = Revealing &
  Readonly<{
    db: Parameters<typeof refuseUnready>[0]['db'];
    publisher: Publisher;
    measures: PlaneMeasures;
    /** Turns the windows of budgets, and publishes what is spent of them. */
    rebuild: () => Promise<void>;
    /** Whether the log in the database does not hold what the state was read from. */
    isForked: () => boolean;
    sessions: Sessions;
    fleet: Fleet;
    notifier: Notifier;
    alarms: Alarms;
    usageUpkeep: UsageUpkeep;
    /** What prompts are classified with; null: none is. */
    encoders: Encoders | null;
    deployment: ManagedDeployment;
    /** Cookies carry Secure when the listener speaks TLS. */
    secureCookies: boolean;
    program: Program;
  }>;

export type MachineNeeds = Readonly<{
  publisher: Publisher;
  takeUsage: UsageIntake;
  reconcile: Reconcile;
  fleet: Fleet;
  takeRefusals: TakeRefusals;
  /** Records which replica serves which version. */
  takeServed: TakeServed;
  /** Compares what replicas saw of the log with the log. */
  takeSightings: TakeSightings;
  log: Log;
}>;

export type UsageNeeds = Readonly<{
  /** For statements that may take longer. */
  reports: Parameters<typeof usageCourse>[0];
  clock: Clock;
}>;
