// Declares the dependencies of the routes of operations, proxies and usage.

import type { Encoders } from '../../classifier/encoder.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import type { ManagedDeployment } from '../../control/deployment.ts';
import type { Alarms } from '../../control/log/alarms.ts';
import type { TakeSightings } from '../../control/log/witnesses.ts';
import type { Fleet } from '../../control/fleet/fleet.ts';
import type { TakeRefusals } from '../../control/fleet/fleet-refusals.ts';
import type { TakeServed } from '../../control/fleet/fleet-served.ts';
import type { Notifier } from '../../control/webhooks/notify.ts';
import type { Webhooks } from '../../control/webhooks/open.ts';
import type { PlaneMeasures } from '../../control/fleet/plane-measures.ts';
import type { Publisher } from '../../control/publishing/publish.ts';
import type { refuseUnready } from '../../control/readiness.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Reconcile } from '../../control/usage/reconcile.ts';
import type { usageCourse } from '../../control/usage/usage-reports.ts';
import type { TakeNumbers } from '../../control/usage/usage-numbers.ts';
import type { VerifyLedger } from '../../control/usage/ledger/verify-ledger.ts';
import type { Reprice } from '../../control/usage/ledger/record-reprice.ts';
import type { UsageWhatIf } from '../../control/usage/ledger/what-if.ts';
import type { UsageIntake } from '../../control/usage/usage-intake.ts';
import type { SumUsage } from '../../control/usage/usage-sums.ts';
import type { UsageUpkeep } from '../../control/usage/usage-upkeep.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from './program.ts';

export type OperationNeeds = Revealing &
  Readonly<{
    db: Parameters<typeof refuseUnready>[0]['db'];
    publisher: Publisher;
    measures: PlaneMeasures;
    /** Resets budget windows and publishes spending. */
    rebuild: () => Promise<void>;
    /** True if the database's log differs from the one that the state was built from. */
    isForked: () => boolean;
    sessions: Sessions;
    fleet: Fleet;
    notifier: Notifier;
    /** Its measurements are shown as metrics. */
    webhooks: Pick<Webhooks, 'measured'>;
    alarms: Alarms;
    usageUpkeep: UsageUpkeep;
    sumUsage: SumUsage;
    indexUsage: () => Promise<void>;
    /** Null if no encoder classifies prompts. */
    encoders: Encoders | null;
    deployment: ManagedDeployment;
    /** True if the listener uses TLS. Sets the Secure attribute. */
    secureCookies: boolean;
    program: Program;
  }>;

export type MachineNeeds = Readonly<{
  publisher: Publisher;
  takeUsage: UsageIntake;
  reconcile: Reconcile;
  fleet: Fleet;
  takeRefusals: TakeRefusals;
  /** Records the numbers of usage rows that a replica cannot deliver. */
  takeNumbers: TakeNumbers;
  takeServed: TakeServed;
  /** Compares the log with what replicas saw of it. */
  takeSightings: TakeSightings;
  log: Log;
}>;

export type UsageNeeds = Readonly<{
  /** Runs statements with a longer timeout. */
  reports: Parameters<typeof usageCourse>[0];
  /** For reports that may be some seconds old. */
  reads: ControlPlane['reads'];
  verifyLedger: VerifyLedger;
  reprice: Reprice;
  usageWhatIf: UsageWhatIf;
  clock: Clock;
}>;
