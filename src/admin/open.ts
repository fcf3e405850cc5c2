// Puts the admin listener together on an open control plane.

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
import { createBeat, createProvidersAt } from '../control/providers/lease-beats.ts';
import { createLoginLimit } from '../control/access/login-limit.ts';
import { createLoginTurns } from '../control/access/login-turns.ts';
import type { Notifier } from '../control/fleet/notify.ts';
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
import { createUsageIntake } from '../control/usage/usage-intake.ts';
import { createRecordUnattributed } from '../control/usage/usage-unattributed.ts';
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
  /** Several are accepted, for rotation. None: no proxy is let in. */
  proxyTokens: readonly string[];
  tls: AdminServerParts['tls'];
  egress: Egress;
  /** Told when a backend goes out of rotation or comes back. */
  notifier: Notifier;
  pricePlaces: PricePlaces;
  clock: Clock;
  /** How long single usage rows are kept; 90 when absent. */
  usageRetentionDays?: number;
  /** How many dynamic providers a principal may hold; 256 when absent. */
  dynamicProvidersMax?: number;
  /** Whether a registration needs the permission `provider:register`; no when absent. */
  needsPermissionToRegister?: boolean;
  /** The resource that an operator runs this process by; none when absent. */
  managed?: ManagedPlace | null;
  /** Off when absent. */
  strictKeyMint?: boolean;
  /** None when absent. */
  signInLink?: SignInLink | null;
  log: Log;
  program: Program;
  /** Of the admin listener; 0 is unlimited. */
  connectionsPerAddress?: number;
  /** Names this process in alarms. */
  replica?: string;
  /** None when absent. */
  ui?: Ui | null;
  /** The folder of the documentation site; not served when absent. */
  help?: string | null;
  /** The values of all settings by name; their defaults when absent. */
  settings?: Readonly<Record<string, unknown>>;
  /** Served with those of this release. */
  moreRoutes?: readonly ServedRoute[];
}>;

export type Admin = Readonly<{
  server: AdminServer;
  /** What the routes were given. */
  needs: Needs;
  idempotency: Idempotency;
  routes: readonly ServedRoute[];
  /** The background work of the extensions. */
  jobs: (needs: JobNeeds) => readonly Job[];
  /** Answers with the URL; port 0 is any free one. */
  listen: (place: Readonly<{ host: string; port: number }>) => Promise<string>;
  /** Ends in order; answers how many connections had to be cut after `graceMs`. */
  close: (graceMs: number) => Promise<number>;
}>;

const monotonic = (): number => performance.now();

/** Does not listen yet. */
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
  const needs: Needs = openNeeds(options, authenticating);
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
  purgeNowAndThen(server, { purged: [idempotency, sessions], log });
  return {
    server,
    needs,
    idempotency,
    routes,
    jobs: (given) => extended.flatMap(({ jobs }) => jobs?.(given) ?? []),
    listen: async (place) => {
      const url = new URL(await server.listen({ ...place }));
      return `${options.tls === null ? 'http' : 'https'}://${url.host}`;
    },
    close: (graceMs) => drain(server, graceMs),
  };
}

type Authenticating = Readonly<{
  sessions: Sessions;
  adminTokens: AdminTokens;
  credentials: Credentials;
  singleSignOn: AccessNeeds['singleSignOn'];
}>;

/** Each topic of routes gets what its handlers name, and no more. */
function openNeeds(options: AdminOptions, authenticating: Authenticating): Needs {
  const { plane, clock, log, notifier, program } = options;
  const { sessions, adminTokens, credentials, singleSignOn } = authenticating;
  const { db, reports, vault, past, publisher, measures, rebuild, encoders, heads } = plane;
  const { isForked, rereads } = plane.store;
  const newId = randomUUID;
  const secureCookies = options.tls !== null;
  const routed = createAskRouted(monotonic);
  const fleet = createFleet({ clock, monotonic, onTransition: notifier.notify });
  const { alarms, ...witnesses } = openWitnesses(options);
  const { usageUpkeep, ...intake } = openUsage(options);
  const { checkAddress, ...dialling } = openDials(options);
  const strictKeyMint = options.strictKeyMint ?? false;
  const deployment = openManagedDeployment(options.managed ?? null);
  const reconcile = createReconcile({ state: plane.store.state, monotonic });
  const named = { db, vault };
  const minting = { clock, newId, randomBytes, strictKeyMint };
  const signIn = { singleSignOn, secureCookies, ...openSignIn(options) };
  const access = { ...named, ...minting, sessions, adminTokens, ...signIn, log };
  const readManaged = createManagedFiles(db);
  const history = { ...named, reports, routed, fleet, readManaged, alarms, clock, newId };
  const classes = { newId, encoders, clock, log };
  const observed = { publisher, measures, fleet, notifier, alarms, usageUpkeep, isForked, rebuild };
  const told = { program, encoders, deployment };
  return {
    access,
    providers: { ...named, clock, newId, log, ...dialling },
    routing: { ...named, reports, ...classes, publisher, routed },
    tools: { ...named, newId, checkAddress },
    operations: { ...named, ...observed, ...told, sessions, secureCookies },
    machines: { publisher, ...intake, reconcile, fleet, ...witnesses, log },
    usage: { reports, clock },
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

/** What reaches providers, and what looks after those that are registered. */
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
    beat: createBeat(plane.db),
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
    log.warn({ error }, 'the last use of an admin token was not recorded');
  return createAdminTokens({ db, vault, state: store.state, refresh, clock, onFailure });
}

/** What replicas say of the log and of what they serve of it. */
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
      onFailure: (error) => log.warn({ error }, 'what replicas saw of the log was not compared'),
    }),
    takeServed: createTakeServed({
      db,
      clock,
      onFailure: (error) => log.warn({ error }, 'what replicas serve was not recorded'),
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

/** What takes usage in and keeps it. */
function openUsage({ plane, clock, log, usageRetentionDays }: AdminOptions) {
  const { db, reports, vault, refresh } = plane;
  const { state } = plane.store;
  const rebuild = coalesce(plane.rebuild);
  const onReached = (): void => {
    rebuild().catch((error: unknown) => {
      log.warn({ error }, 'proxies were not told at once that a budget is reached');
    });
  };
  return {
    takeUsage: createUsageIntake({ db, vault, state, refresh, onReached, clock }),
    takeRefusals: createTakeRefusals({
      record: createRecordUnattributed({ db, clock }),
      onFailure: (error) => log.warn({ error }, "refusals that are nobody's were not recorded"),
    }),
    usageUpkeep: createUsageUpkeep({
      db: reports,
      clock,
      retentionDays: usageRetentionDays ?? retentionDaysDefault,
      onFailure: (what, error) => log.warn({ error }, what),
    }),
  };
}

const purgeMs = 10 * 60 * 1000;

/** What has expired goes although nobody asks for it any more. */
function purgeNowAndThen(
  server: AdminServer,
  { purged, log }: Readonly<{ purged: readonly Pick<Sessions, 'purge'>[]; log: Log }>,
): void {
  const purge = (): void => {
    for (const { purge } of purged) {
      purge().catch((error: unknown) => {
        log.warn({ error }, 'what has expired could not be deleted');
      });
    }
  };
  const timer = setInterval(purge, purgeMs);
  timer.unref();
  server.addHook('onClose', async () => clearInterval(timer));
}
