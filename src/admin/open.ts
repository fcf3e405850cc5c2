// Assembles the admin listener on an open control plane.

import { randomBytes, randomUUID } from 'node:crypto';

import { createAddressCheck } from '../control/providers/address-check.ts';
import type { AdminTokens } from '../control/access/admin-tokens.ts';
import { createAdminTokens } from '../control/access/admin-tokens.ts';
import { openManagedDeployment } from '../control/deployment.ts';
import type { ManagedPlace } from '../control/deployment.ts';
import type { Egress } from '../egress/egress.ts';
import { createManagedFiles } from '../control/configuration/managed-files.ts';
import { createAlarms } from '../control/log/alarms.ts';
import { createTakeSightings, createTellLost } from '../control/log/witnesses.ts';
import { createFleet } from '../control/fleet/fleet.ts';
import { createTakeRefusals } from '../control/fleet/fleet-refusals.ts';
import { createTakeServed } from '../control/fleet/fleet-served.ts';
import { createAskRouted } from '../control/history/routed.ts';
import type { Idempotency } from '../control/commands/idempotency.ts';
import { createIdempotency } from '../control/commands/idempotency.ts';
import { createHeartbeats, createProvidersAt } from '../control/providers/lease-heartbeats.ts';
import { createLoginLimit } from '../control/access/login-limit.ts';
import { createLoginTurns } from '../control/access/login-turns.ts';
import type { Notifier } from '../control/webhooks/notify.ts';
import { openWebhooks } from '../control/webhooks/open.ts';
import type { Webhooks } from '../control/webhooks/open.ts';
import { connectionsPerAddressDefault } from '../ingress/bound-connections.ts';
import { createPasswords } from '../control/access/passwords.ts';
import type { ControlPlane } from '../control/plane.ts';
import type { Job } from '../control/repeat.ts';
import { createPlanPrices } from '../control/prices/price-sync.ts';
import type { PricePlaces } from '../control/prices/price-sync.ts';
import { createReconcile } from '../control/usage/reconcile.ts';
import {
  createRegistrationDial,
  dynamicProvidersMaxDefault,
} from '../control/providers/registration-dial.ts';
import type { SignInLink } from '../control/access/sign-in-link.ts';
import { createSessions } from '../control/access/sessions.ts';
import type { Sessions } from '../control/access/sessions.ts';
import { coalesce } from '../control/coalesce.ts';
import { createReprice } from '../control/usage/ledger/record-reprice.ts';
import { createVerifyLedger } from '../control/usage/ledger/verify-ledger.ts';
import { createUsageWhatIf } from '../control/usage/ledger/what-if.ts';
import { createUsageIntake } from '../control/usage/usage-intake.ts';
import { createTakeNumbers } from '../control/usage/usage-numbers.ts';
import { createRecordUnattributed } from '../control/usage/usage-unattributed.ts';
import { createIndexUsage } from '../control/usage/index-usage.ts';
import { createSumUsage } from '../control/usage/usage-sums.ts';
import { createUsageUpkeep, retentionDaysDefault } from '../control/usage/usage-upkeep.ts';
import { createDial } from '../control/providers/verify-provider.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createCredentials } from './http/credentials.ts';
import type { Credentials } from './http/authorise.ts';
import { drain } from './http/drain.ts';
import type { JobNeeds } from './extension.ts';
import type { AccessNeeds } from './access/needs.ts';
import type { Program } from './operations/program.ts';
import { extendedBy, serveRoutes } from './routes.ts';
import type { Needs } from './routes.ts';
import type { ServedRoute } from './http/route.ts';
import { createAdminServer } from './http/server.ts';
import type { AdminServer, AdminServerParts } from './http/server.ts';
import type { Ui } from './ui.ts';

export type AdminOptions = Readonly<{
  plane: ControlPlane;
  /** Several are accepted, for rotation. Without any, no proxy is accepted. */
  proxyTokens: readonly string[];
  tls: AdminServerParts['tls'];
  egress: Egress;
  notifier: Notifier;
  pricePlaces: PricePlaces;
  clock: Clock;
  /** For single usage rows. Default 90. */
  usageRetentionDays?: number;
  /** Per principal. Default 256. */
  dynamicProvidersMax?: number;
  /** For the permission `provider:register`. Default false. */
  needsPermissionToRegister?: boolean;
  /** Set if an operator manages this process. */
  managed?: ManagedPlace | null;
  strictKeyMint?: boolean;
  signInLink?: SignInLink | null;
  log: Log;
  program: Program;
  /** 0 means unlimited. */
  connectionsPerAddress?: number;
  replica?: string;
  ui?: Ui | null;
  help?: string | null;
  /** By name. Defaults apply if absent. */
  settings?: Readonly<Record<string, unknown>>;
  moreRoutes?: readonly ServedRoute[];
}>;

export type Admin = Readonly<{
  server: AdminServer;
  needs: Needs;
  /** The outbox of webhooks. Something must run it regularly. */
  webhooks: Webhooks;
  idempotency: Idempotency;
  routes: readonly ServedRoute[];
  jobs: (needs: JobNeeds) => readonly Job[];
  /** Returns the URL. Port 0 selects a free port. */
  listen: (place: Readonly<{ host: string; port: number }>) => Promise<string>;
  /** Returns the number of connections that were cut after `graceMs`. */
  close: (graceMs: number) => Promise<number>;
}>;

const monotonic = (): number => performance.now();

export function openAdmin(options: AdminOptions): Admin {
  const { plane, log, clock, proxyTokens } = options;
  const { db, vault, refresh, execute, past, publisher } = plane;
  const { state, isForked } = plane.store;
  const sessions = openSessions(options);
  const adminTokens = openAdminTokens(options);
  const known = { sessions, adminTokens, publisher, state, clock };
  const credentials = createCredentials({ ...known, proxyTokens });
  const extended = extendedBy(() => needs.extensions);
  const singleSignOn = () => extended.flatMap((one) => one.singleSignOn?.() ?? [])[0] ?? null;
  const authenticating = { sessions, adminTokens, credentials, singleSignOn };
  const webhooks = openWebhooks(options);
  const needs: Needs = openNeeds(options, authenticating, webhooks);
  const idempotency = createIdempotency({ db, vault, clock });
  const routes = [...serveRoutes(needs, extended), ...(options.moreRoutes ?? [])];
  const server = createAdminServer({
    routes,
    serving: { config: { state, refresh, execute, past }, idempotency, sessions, adminTokens },
    log,
    isForked,
    connectionsRefused: plane.measures.connectionsRefused,
    credentials,
    tls: options.tls,
    newRequestId: randomUUID,
    connectionsPerAddress: options.connectionsPerAddress ?? connectionsPerAddressDefault,
    ui: options.ui ?? null,
    help: options.help ?? null,
  });
  purgeRegularly(server, { purged: [idempotency, sessions], log });
  return {
    server,
    needs,
    webhooks,
    idempotency,
    routes,
    jobs: (given) => extended.flatMap(({ jobs }) => jobs?.(given) ?? []),
    listen: async (place) => {
      const url = new URL(await server.listen({ ...place }));
      return `${options.tls === null ? 'http' : 'https'}://${url.host}`;
    },
    close: async (graceMs) => {
      const [cut] = await Promise.all([drain(server, graceMs), webhooks.close()]);
      return cut;
    },
  };
}

type Authenticating = Readonly<{
  sessions: Sessions;
  adminTokens: AdminTokens;
  credentials: Credentials;
  singleSignOn: AccessNeeds['singleSignOn'];
}>;

/** Each group of routes gets only the dependencies that its handlers declare. */
function openNeeds(
  options: AdminOptions,
  authenticating: Authenticating,
  webhooks: Webhooks,
): Needs {
  const { plane, clock, log, notifier, program } = options;
  const { sessions, adminTokens, credentials, singleSignOn } = authenticating;
  const { db, reports, reads, vault, past, publisher, measures, rebuild, encoders, heads } = plane;
  const { isForked, rereads } = plane.store;
  const newId = randomUUID;
  const secureCookies = options.tls !== null;
  const routed = createAskRouted(monotonic);
  const fleet = createFleet({ db: reports, notifyIn: notifier.notifyIn });
  const { alarms, ...witnesses } = openWitnesses(options);
  const { usageUpkeep, sumUsage, indexUsage, ...intake } = openUsage(options);
  const { checkAddress, ...dialling } = openDials(options);
  const strictKeyMint = options.strictKeyMint ?? false;
  const deployment = openManagedDeployment(options.managed ?? null);
  const reconcile = createReconcile({
    db: reports,
    state: plane.store.state,
    tally: measures.allotments,
    clock,
  });
  const named = { db, vault };
  const minting = { clock, newId, randomBytes, strictKeyMint };
  const signIn = { singleSignOn, secureCookies, ...openSignIn(options) };
  const access = { ...named, ...minting, sessions, adminTokens, ...signIn, log };
  const readManaged = createManagedFiles(db);
  const history = { ...named, reports, routed, fleet, readManaged, alarms, clock, newId };
  const classes = { newId, encoders, clock, log };
  const observed = {
    publisher,
    measures,
    fleet,
    notifier,
    alarms,
    usageUpkeep,
    sumUsage,
    indexUsage,
    isForked,
    rebuild,
    webhooks,
  };
  const processParts = { program, encoders, deployment };
  return {
    access,
    providers: { ...named, clock, newId, log, ...dialling },
    routing: { ...named, reports, ...classes, publisher, routed },
    tools: { ...named, newId, checkAddress },
    operations: { ...named, ...observed, ...processParts, sessions, secureCookies },
    machines: { publisher, ...intake, reconcile, fleet, ...witnesses, log },
    webhooks: { ...named, reports, checkAddress, clock, newId, randomBytes, wake: webhooks.wake },
    usage: { reports, reads, clock, ...openLedger(options) },
    history,
    extensions: {
      ...history,
      access,
      dispatcher: options.egress.dispatcher,
      plane,
      notifier,
      past,
      credentials,
      rereads,
      heads,
      program,
      settings: options.settings ?? {},
    },
  };
}

function openDials(options: AdminOptions) {
  const { plane, egress, pricePlaces: places } = options;
  const { dispatcher } = egress;
  const { state } = plane.store;
  const sending = { dispatcher, accessToken: plane.cloudTokens.accessToken };
  const readState = async () => {
    await plane.refresh();
    return state();
  };
  return {
    dial: createDial(sending),
    dialRegistered: createRegistrationDial(sending),
    heartbeat: createHeartbeats(plane.db),
    providersAt: createProvidersAt(state),
    dynamicProvidersMax: options.dynamicProvidersMax ?? dynamicProvidersMaxDefault,
    needsPermissionToRegister: options.needsPermissionToRegister ?? false,
    checkAddress: createAddressCheck(egress),
    checkHeldAddress: createAddressCheck(egress, { waitingMax: 0 }),
    planPrices: createPlanPrices({ dispatcher, places, readState }),
  };
}

const openSignIn = (options: AdminOptions) => ({
  passwords: createPasswords(),
  signInLink: options.signInLink ?? null,
  loginTurns: createLoginTurns(createLoginLimit()),
});

function openAdminTokens({ plane: { db, vault, store, refresh }, clock, log }: AdminOptions) {
  const onFailure = (error: unknown): void =>
    log.warn({ error }, 'could not record the last use of an admin token');
  return createAdminTokens({ db, vault, state: store.state, refresh, clock, onFailure });
}

/** Stores what replicas report about the log and the snapshots that they serve. */
function openWitnesses({ plane, clock, log, notifier: { notify }, replica }: AdminOptions) {
  const { reports: db, store } = plane;
  const epoch = (): number => store.state().settings.byId.get(1)?.epoch ?? 0;
  const alarms = createAlarms({ db, epoch, log, notify, clock });
  plane.onForked(createTellLost({ db, alarms, replica: replica ?? 'control' }));
  return {
    alarms,
    takeSightings: createTakeSightings({
      db,
      alarms,
      monotonic,
      onFailure: (error) =>
        log.warn({ error }, 'could not compare the log with what replicas saw of it'),
    }),
    takeServed: createTakeServed({
      db,
      clock,
      onFailure: (error) =>
        log.warn({ error }, 'could not record the snapshot versions that replicas serve'),
    }),
  };
}

const openSessions = ({ plane, clock }: AdminOptions): Sessions =>
  createSessions({
    db: plane.db,
    state: plane.store.state,
    catchUp: plane.catchUp,
    clock,
    randomBytes,
    sealer: plane.sessionSealer,
  });

function openUsage({ plane, clock, log, usageRetentionDays, notifier }: AdminOptions) {
  const { notifyIn } = notifier;
  const { db, reports, vault, refresh } = plane;
  const { state } = plane.store;
  const rebuild = coalesce(plane.rebuild);
  const onReached = (): void => {
    rebuild().catch((error: unknown) => {
      log.warn({ error }, 'could not notify proxies that a budget is exhausted');
    });
  };
  return {
    takeUsage: createUsageIntake({ db, vault, state, refresh, onReached, notifyIn, clock }),
    takeRefusals: createTakeRefusals({
      record: createRecordUnattributed({ db, clock }),
      onFailure: (error) => log.warn({ error }, 'could not record refusals without a principal'),
    }),
    takeNumbers: createTakeNumbers({
      db,
      clock,
      onFailure: (error) => log.warn({ error }, 'could not record the numbers of usage rows'),
    }),
    sumUsage: createSumUsage({ db: reports, clock }),
    indexUsage: createIndexUsage({
      db: reports,
      openMaintenance: plane.openMaintenance,
      onFailure: (error) => log.warn({ error }, 'could not index usage rows; will try again'),
    }),
    usageUpkeep: createUsageUpkeep({
      db: reports,
      clock,
      retentionDays: usageRetentionDays ?? retentionDaysDefault,
      onFailure: (what, error) => log.warn({ error }, what),
    }),
  };
}

const openLedger = ({ plane, clock, log }: AdminOptions) => ({
  verifyLedger: createVerifyLedger({ db: plane.reports, clock }),
  usageWhatIf: createUsageWhatIf({ db: plane.reports, state: plane.store.state, clock }),
  reprice: createReprice({
    db: plane.reports,
    state: plane.store.state,
    clock,
    rebuild: plane.rebuild,
    onFailure: (error) => log.warn({ error }, 'could not publish budgets after a recomputation'),
  }),
});

const purgeMs = 10 * 60 * 1000;

/** Deletes expired rows, which no request would notice otherwise. */
function purgeRegularly(
  server: AdminServer,
  { purged, log }: Readonly<{ purged: readonly Pick<Sessions, 'purge'>[]; log: Log }>,
): void {
  const purge = (): void => {
    for (const { purge } of purged) {
      purge().catch((error: unknown) => {
        log.warn({ error }, 'could not delete expired data');
      });
    }
  };
  const timer = setInterval(purge, purgeMs);
  timer.unref();
  server.addHook('onClose', async () => clearInterval(timer));
}
