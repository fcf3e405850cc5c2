// Opens and closes the control plane without its HTTP servers: database, vault, configuration,
// command path, publisher and follower.

import { randomBytes, randomUUID } from 'node:crypto';

import {
  buildReadModel,
  readModelSchema,
  readModelStanding,
} from '../../projections/read-model.ts';
import { readHead } from '../db/log/event-log.ts';
import { listenForEvents } from '../db/listen.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import { checkSessions } from '../db/connections/pooler.ts';
import type { Database } from '../db/pool.ts';
import type { Reads } from '../db/connections/reads.ts';
import { namingRights } from '../db/rights.ts';
import { openVault } from '../db/vault.ts';
import type { Vault } from '../db/vault.ts';
import type { Encoders } from '../classifier/encoder.ts';
import type { Clock } from '../lib/clock.ts';
import { isRefusal } from '../lib/refusal.ts';
import { createBudgets } from './usage/budgets.ts';
import { createCentroids } from './publishing/centroids.ts';
import { createCloudTokens, noCloudTokens } from './providers/cloud-token.ts';
import type { CloudTokens } from './providers/cloud-token.ts';
import { createConfigStore } from './publishing/config-store.ts';
import type { ConfigStore } from './publishing/config-store.ts';
import type { Egress } from '../egress/egress.ts';
import { createExecute } from './commands/commit-queue.ts';
import type { Execute } from './commands/execute.ts';
import { follow } from './log/follow.ts';
import type { Heads } from './log/heads.ts';
import { createPastStates } from './history/states.ts';
import type { PastStates } from './history/states.ts';
import type { Divergence } from './notify-rebuild.ts';
import { newPlaneMeasures, measuring, openMeasuredPools } from './fleet/plane-measures.ts';
import type { PlaneMeasures } from './fleet/plane-measures.ts';
import { createPublisher } from './publishing/publish.ts';
import type { Publisher } from './publishing/publish.ts';
import { createReading, retireNowAndThen } from './log/reading.ts';
import type { Reading } from './log/reading.ts';
import { createExchange } from './providers/service-account.ts';
import { createSessionSealer } from './access/session-seal.ts';
import type { SessionSealer } from './access/session-seal.ts';
import { createStatementFailures } from './commands/write-failure.ts';

export type ControlPlane = Readonly<{
  /** For commands and the reads before them. */
  db: Database;
  /** For reports, whose statements may take longer. */
  reports: Database;
  /** For reports that may be some seconds old. */
  reads: Reads;
  /** Opens a pool without a time limit for a statement. */
  openMaintenance: () => Database;
  vault: Vault;
  store: ConfigStore;
  past: PastStates;
  execute: Execute;
  publisher: Publisher;
  measures: PlaneMeasures;
  heads: Heads;
  cloudTokens: CloudTokens;
  /** Null if no prompt class has a centroid. */
  encoders: Encoders | null;
  /** Starts new windows of budgets and publishes their spending. */
  rebuild: () => Promise<void>;
  sessionSealer: SessionSealer;
  close: () => Promise<void>;
}> &
  Reading;

export type PlaneOptions = Readonly<{
  databaseUrl: string;
  /** The address of a standby, for reports. */
  databaseReadUrl?: string | null;
  /** 32 bytes each. The previous key opens what was sealed before a rotation. */
  encryptionKey: Uint8Array;
  previousKey?: Uint8Array | undefined;
  connectionsMax: number;
  appVersion: string;
  clock: Clock;
  /** Requests access tokens. If absent, snapshots of this process omit providers that need one. */
  egress?: Egress;
  /** Computes the centroids of prompt classes. If absent, no class has one. */
  encoders?: Encoders;
  onCurrent?: () => void;
  /** Receives each long step of the start, as a clause. */
  onProgress?: (doing: string) => void;
  onFailure: (what: string, error: unknown) => void;
  /** Called when a snapshot could not be published and an older one is still served. */
  onUnpublished?: (error: unknown, divergence: Divergence) => void;
}>;

/**
 * Migrates the database, builds the read models, seeds a new log and publishes the first snapshot.
 * Throws if the database is unreachable, is newer than this program or was sealed with another
 * encryption key.
 */
export async function openControlPlane(options: PlaneOptions): Promise<ControlPlane> {
  const { databaseUrl: url, connectionsMax, clock, onFailure } = options;
  const cursor = await prepareDatabase(url, options.onProgress);
  const cloudTokens = openCloudTokens(options);
  const measures = newPlaneMeasures(connectionsMax);
  const { onBuilt, onAppended, onHead, onCurrent, heads } = measuring(measures, options.onCurrent);
  const { dispose, ...pools } = openPools(options, measures);
  const { db, reports } = pools;
  try {
    const vault = await openOwnVault(db, options);
    const store = createConfigStore(cursor);
    const { logId } = await readHead(db);
    const budgets = createBudgets({ db, state: store.state, clock });
    await budgets.load();
    const { encoders = null } = options;
    const centroids = createCentroids({ db, vault, encoders, onFailure });
    const publisher = createPublisher({
      db,
      vault,
      store,
      logId,
      budgets,
      centroids,
      cloudTokens,
      clock,
      onBuilt,
      onFailure: (error) => reportUnpublished(options, error, { store, publisher }),
    });
    const { publish } = publisher;
    cloudTokens.onDue(() => void publish());
    const { appVersion } = options;
    const appending = { publish, clock, newId: randomUUID, appVersion, onAppended };
    const execute = createExecute({ db, vault, store, ...appending });
    await seedLog(execute, vault);
    await publish();
    const reading = createReading({ db, logId, store, publisher, onHead, onCurrent });
    const past = createPastStates({ db: reports, store, catchUp: reading.catchUp });
    const rebuild = async (): Promise<void> => {
      await budgets.rebuild();
      await publish();
    };
    const follower = follow({
      listen: (onAppended) => listenForEvents({ url, onAppended, random: Math.random }),
      catchUp: reading.refresh,
      onFailure: (error) => onFailure('following the event log', error),
    });
    const retiring = retireNowAndThen({
      db: reports,
      onFailure: (error) => onFailure('dropping unused read models', error),
    });
    const close = async (): Promise<void> => {
      cloudTokens.close();
      publisher.close();
      await retiring.stop();
      await follower.close();
      await dispose();
    };
    const opened = { ...pools, vault, store, past, execute, publisher, measures, cloudTokens };
    const own = { sessionSealer: sessionSealerOf(options), heads, encoders, rebuild, close };
    return { ...opened, ...reading, ...own, openMaintenance: () => openMaintenance(url) };
  } catch (error) {
    cloudTokens.close();
    await dispose();
    throw error;
  }
}

const monotonic = (): number => performance.now();

function openPools(
  { databaseUrl: url, databaseReadUrl = null, onFailure }: PlaneOptions,
  measures: PlaneMeasures,
) {
  const place = { url, applicationName: 'gw', schema: readModelSchema };
  return openMeasuredPools(place, measures, {
    readUrl: databaseReadUrl,
    onStatementFailed: createStatementFailures({ measures, monotonic, onFailure }),
    onUnfit: (error) =>
      onFailure('reading from --database-read-url; reports use the primary', error),
  });
}

function reportUnpublished(
  { onFailure, onUnpublished }: PlaneOptions,
  error: unknown,
  { store, publisher }: Pick<ControlPlane, 'store' | 'publisher'>,
): void {
  onFailure('publishing the snapshot', error);
  const publishedVersion = publisher.current()?.version;
  if (publishedVersion === undefined) return;
  onUnpublished?.(error, { version: store.state().version, publishedVersion });
}

const sessionSealerOf = ({ encryptionKey, previousKey }: PlaneOptions): SessionSealer =>
  createSessionSealer(encryptionKey, ...(previousKey === undefined ? [] : [previousKey]));

const openOwnVault = (
  db: Database,
  { encryptionKey, previousKey, onFailure }: PlaneOptions,
): Promise<Vault> =>
  openVault(db, {
    encryptionKey,
    previousKey,
    randomBytes,
    newId: randomUUID,
    onUnreadable: (ref, error) => onFailure(`opening vault item ${ref}`, error),
  });

function openCloudTokens({ egress, clock, onFailure }: PlaneOptions): CloudTokens {
  if (egress === undefined) return noCloudTokens;
  const exchange = createExchange({
    egress,
    clock,
    onRejected: ({ host, status, answerText }) =>
      onFailure(`exchanging a key file at ${host}: status ${status}`, new Error(answerText)),
  });
  return createCloudTokens({ exchange, clock, onFailure });
}

const openMaintenance = (url: string): Database =>
  openDatabase({ url, purpose: 'maintenance', applicationName: 'gw', connectionsMax: 2 });

/**
 * Uses its own pool without a statement timeout, because migrations and the first build may take
 * long.
 */
export async function prepareDatabase(url: string, onProgress: (doing: string) => void = () => {}) {
  await checkSessions(url);
  const maintenance = openMaintenance(url);
  try {
    return await namingRights(maintenance, async () => {
      await migrate(maintenance, { onProgress });
      const { position } = await readHead(maintenance);
      const events = position - ((await readModelStanding(maintenance))?.position ?? 0);
      if (events > 0) onProgress(`the tables of this release are built from ${events} events`);
      return buildReadModel(maintenance);
    });
  } finally {
    await maintenance.dispose();
  }
}

/**
 * Appends the first events to an empty log. Throws on failure: without roles, no one can sign in.
 */
async function seedLog(execute: Execute, vault: Vault): Promise<void> {
  const text = 'bootstrap';
  const bootstrapName = { text, ref: null, fingerprint: vault.fingerprint(text) };
  const seeded = await execute(
    { command: { type: 'SeedLog', bootstrapName } },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'SYSTEM',
      target: 'seed',
      requestId: 'seed',
      reason: null,
    },
  );
  if (isRefusal(seeded)) throw new Error(`seeding the log: ${seeded.message}`);
}
