// What the handlers work with: the parts of the control plane, made and put together by the role that serves them.

import type { ConfigState } from '../../projections/config/state.ts';
import type { Encoders } from '../classifier/encoder.ts';
import type { CheckAddress } from '../control/providers/address-check.ts';
import type { AdminTokens } from '../control/access/admin-tokens.ts';
import type { ManagedDeployment } from '../control/deployment.ts';
import type { Alarms } from '../control/evidence/alarms.ts';
import type { Execute } from '../control/commands/execute.ts';
import type { TakeSightings } from '../control/evidence/witnesses.ts';
import type { Fleet } from '../control/fleet/fleet.ts';
import type { TakeRefusals } from '../control/fleet/fleet-refusals.ts';
import type { TakeServed } from '../control/fleet/fleet-served.ts';
import type { AskRouted } from '../control/history/routed.ts';
import type { PastStates } from '../control/history/states.ts';
import type { Heads } from '../control/log/heads.ts';
import type { Idempotency } from '../control/commands/idempotency.ts';
import type { Beat, createProvidersAt } from '../control/providers/lease-beats.ts';
import type { LoginTurns } from '../control/access/login-turns.ts';
import type { SignInLink } from '../control/access/sign-in-link.ts';
import type { Notifier } from '../control/fleet/notify.ts';
import type { SignOn } from '../control/oidc/sign-on.ts';
import type { Passwords } from '../control/access/passwords.ts';
import type { PlanPrices } from '../control/prices/price-sync.ts';
import type { PlaneMeasures } from '../control/fleet/plane-measures.ts';
import type { Publisher } from '../control/publishing/publish.ts';
import type { Reconcile } from '../control/usage/reconcile.ts';
import type { RegistrationDial } from '../control/providers/registration-dial.ts';
import type { Sessions } from '../control/access/sessions.ts';
import type { UsageIntake } from '../control/usage/usage-intake.ts';
import type { UsageUpkeep } from '../control/usage/usage-upkeep.ts';
import type { Dial } from '../control/providers/verify-provider.ts';
import type { Database } from '../db/pool.ts';
import type { Vault } from '../db/vault.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Program } from './operations/program.ts';

export type Control = Readonly<{
  db: Database;
  /** For statements that may take longer. */
  reports: Database;
  vault: Vault;
  execute: Execute;
  idempotency: Idempotency;
  /** The configuration at the head of the log, as far as this replica has read it. */
  state: () => ConfigState;
  /** The log in the database does not hold what the state was read from: nothing may be answered from the state. */
  isForked: () => boolean;
  /** How often the log was read again because of that. */
  rereads: () => number;
  /** The configuration as it stood. */
  past: PastStates;
  /** Of any of them, with the tables by which it routes. */
  routed: AskRouted;
  /** What prompts are classified with; null: none is. */
  encoders: Encoders | null;
  publisher: Publisher;
  measures: PlaneMeasures;
  /** For whoever waits that the log grows. */
  heads: Heads;
  /** Reads the log up to its head and publishes what is new. */
  refresh: () => Promise<void>;
  /** Turns the windows of budgets, and publishes what is spent of them. */
  rebuild: () => Promise<void>;
  sessions: Sessions;
  adminTokens: AdminTokens;
  passwords: Passwords;
  /** Null: people log in by password alone. */
  signOn: SignOn | null;
  /** Only gw dev has one. */
  signInLink: SignInLink | null;
  loginTurns: LoginTurns;
  dial: Dial;
  /** For a principal that registers; see registration-dial.ts. */
  dialRegistered: RegistrationDial;
  /** Refreshes the lease of a provider that stands. */
  beat: Beat;
  providersAt: ReturnType<typeof createProvidersAt>;
  /** How many dynamic providers a principal may hold. */
  dynamicProvidersMax: number;
  /** Whether a registration needs the permission `provider:register`, besides an API key. */
  needsPermissionToRegister: boolean;
  checkAddress: CheckAddress;
  /** The same for each heartbeat. It waits for no other look-up: names that do not resolve must not hold up the leases of hosts. */
  checkHeldAddress: CheckAddress;
  planPrices: PlanPrices;
  takeUsage: UsageIntake;
  /** Folds what is past its retention, and checks budgets against usage. */
  usageUpkeep: UsageUpkeep;
  reconcile: Reconcile;
  /** The replicas that report to this process, and what they count of refusals that are nobody's. */
  fleet: Fleet;
  takeRefusals: TakeRefusals;
  /** Records which replica serves which version. */
  takeServed: TakeServed;
  /** Compares what replicas saw of the log with the log. */
  takeSightings: TakeSightings;
  notifier: Notifier;
  /** What says that the log is not what it was. */
  alarms: Alarms;
  deployment: ManagedDeployment;
  clock: Clock;
  newId: () => string;
  randomBytes: (size: number) => Buffer;
  /** Without config:write, keys are made only for principals that may do no more than who makes them. */
  strictKeyMint: boolean;
  /** Cookies carry Secure when the listener speaks TLS. */
  secureCookies: boolean;
  log: Log;
  program: Program;
}>;
