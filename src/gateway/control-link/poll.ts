// Keeps the served configuration in sync with the control plane (specification, capability 4).
// Long-polls, applies new snapshots, and keeps the current one when the control plane is
// unavailable or its snapshot is invalid. A control plane without long polling is polled at the
// interval.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Clock } from '../../lib/clock.ts';
import { plainly, problemText } from '../../lib/plain-issue.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { createYieldTurn, inSlices } from '../../lib/slices.ts';
import { baseHeader } from '../../snapshot/delta/delta.ts';
import type { SnapshotDelta } from '../../snapshot/delta/delta.ts';
import { followerSteps, readDelta } from '../../snapshot/delta/follower.ts';
import type { Follower, Whole } from '../../snapshot/delta/follower.ts';
import { memberDigest } from '../../snapshot/hash.ts';
import { snapshot as snapshotSchema, snapshotEtag } from '../../snapshot/schema.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Counts } from '../../telemetry/metrics.ts';
import type { Live } from '../config/live.ts';
import type { SnapshotCache } from './cache.ts';
import type { ControlAnswer, ControlClient } from './client.ts';
import { lineageOf } from './lineage.ts';
import type { LogPosition } from './lineage.ts';

/** The longest wait that the control plane allows. */
const waitSecondsMax = 30;
/** The first retry after a failure. The delay doubles up to one interval. */
const retryMsMin = 500;
/** The minimum pause after a whole snapshot, so that many changes produce few snapshots. */
const changePauseMs = 200;
/** Applying snapshots takes at most 1/applyShare of the time. */
const applyShare = 5;
/** The longest time that startup waits for the control plane. */
const firstPollMs = 1000;

export type PollOptions = Readonly<{
  client: Pick<ControlClient, 'get'>;
  live: Live;
  cache: SnapshotCache | null;
  /** The id of another log that may replace the served one. */
  acceptLog: string | null;
  log: Log;
  pollMs: number;
  /** Between 0 and 1, for the jitter. */
  random: () => number;
  monotonic: Clock;
  counts: Pick<Counts, 'snapshots'>;
}>;

export type Poll = Readonly<{ stop: () => Promise<void> }>;

type State = {
  /** Identifies the last received snapshot, served or refused. */
  etag: string | null;
  /** The position of the served snapshot. */
  current: LogPosition | null;
  failures: number;
  /** Applies deltas to the served snapshot. Null until it is ready, and if there are none. */
  follower: Follower | null;
  /**
   * A digest of the credentials in the files of the cache: null without a file, empty if unknown.
   */
  cached: string | null;
  /** Resolves when the follower of the last whole snapshot is ready. */
  preparing: Promise<void>;
};

type Outcome = Readonly<
  { kind: 'unchanged' | 'failed' } | { kind: 'whole' | 'delta'; applyMs: number }
>;

/** Resolves after the first poll, or after a second when the control plane does not answer. */
export async function startPoll(options: PollOptions): Promise<Poll> {
  const state: State = {
    etag: null,
    current: null,
    failures: 0,
    follower: null,
    cached: null,
    preparing: Promise.resolve(),
  };
  await readCache(options, state);
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = pollOnce(options, state, { waitSeconds: 0, signal });
  const loop = keepPolling(options, state, { first, signal });
  await Promise.race([first, sleep(firstPollMs, undefined, { signal, ref: false }).catch(ignore)]);
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function keepPolling(
  options: PollOptions,
  state: State,
  { first, signal }: Readonly<{ first: Promise<Outcome>; signal: AbortSignal }>,
): Promise<void> {
  const { monotonic, pollMs } = options;
  const waitSeconds = Math.min(Math.floor(pollMs / 1000), waitSecondsMax);
  // The first poll did not wait, so the next may follow at once, as after a change.
  let outcome = await first;
  let pauseMs = outcome.kind === 'failed' ? retryMs(options, state) : wholePauseMs(options, 0);
  while (!signal.aborted) {
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(ignore);
    await state.preparing;
    if (signal.aborted) return;
    const startedAt = monotonic();
    outcome = await pollOnce(options, state, { waitSeconds, signal });
    if (outcome.kind === 'failed') pauseMs = retryMs(options, state);
    else if (outcome.kind === 'whole') pauseMs = wholePauseMs(options, outcome.applyMs);
    else if (outcome.kind === 'delta') pauseMs = deltaPauseMs(options, outcome.applyMs);
    else pauseMs = Math.max(0, pollMs - (monotonic() - startedAt));
  }
}

/** At most one interval, so that a change arrives within one interval of the control plane's return. */
function retryMs({ pollMs, random }: PollOptions, { failures }: State): number {
  const base = Math.min(pollMs, retryMsMin * 2 ** Math.min(failures - 1, 16));
  // The jitter spreads the polls of many proxies after a control plane returns.
  return base * (0.5 + random() / 2);
}

/** A delta is small, so the next may follow at once. */
const deltaPauseMs = ({ pollMs }: PollOptions, applyMs: number): number =>
  Math.min(pollMs, applyMs * (applyShare - 1));

const wholePauseMs = (options: PollOptions, applyMs: number): number =>
  Math.min(options.pollMs, Math.max(changePauseMs, deltaPauseMs(options, applyMs)));

async function readCache(options: PollOptions, state: State): Promise<void> {
  const { cache, live, log } = options;
  if (cache === null) return;
  const { cached, refused } = await cache.read();
  if (cached === null) return log.info({ refused }, 'no snapshot cache to start from');
  const { snapshot, seen } = cached;
  state.cached = '';
  live.remember(seen);
  if (refused.length > 0) log.warn({ refused }, 'the previous snapshot cache is used');
  const refusal = live.apply(snapshot);
  if (refusal !== undefined) {
    return log.warn({ reason: refusal.message }, 'the cached snapshot was refused');
  }
  state.current = { version: snapshot.version, log: snapshot.log };
  state.etag = snapshotEtag(snapshot);
  prepare(options, state, { received: snapshot, snapshot, root: null });
}

async function pollOnce(
  options: PollOptions,
  state: State,
  { waitSeconds, signal }: Readonly<{ waitSeconds: number; signal: AbortSignal }>,
): Promise<Outcome> {
  const { client, live, log } = options;
  try {
    const headers: Record<string, string> = {};
    if (state.etag !== null) headers['if-none-match'] = state.etag;
    if (state.follower !== null) headers[baseHeader] = state.follower.root();
    const wait = waitSeconds === 0 ? '' : `&wait=${waitSeconds}`;
    const path = `/snapshot?at_least=${state.current?.version ?? 0}${wait}`;
    const answer = await client.get(path, { headers, signal, waitMs: waitSeconds * 1000 });
    if (answer.status !== 200 && answer.status !== 304) throw new Error(`status ${answer.status}`);
    if (state.failures > 0) log.info({}, 'the control plane answers again');
    state.failures = 0;
    // Some servers ignore If-None-Match and send the same snapshot again.
    const isSame = answer.status === 304 || (answer.etag !== null && answer.etag === state.etag);
    if (!isSame && answer.isDelta) return await applyDelta(options, state, answer);
    if (!isSame) return await applyBody(options, state, answer);
    if (live.refused() === null) live.confirm();
    return { kind: 'unchanged' };
  } catch (error) {
    if (signal.aborted) return { kind: 'failed' };
    // Logged once per change of state.
    if (state.failures === 0) log.warn({ error }, 'the control plane does not answer');
    state.failures++;
    return { kind: 'failed' };
  }
}

/** A refused snapshot is remembered by its ETag, so that it is not fetched again. */
async function applyBody(
  options: PollOptions,
  state: State,
  { body, etag, root }: ControlAnswer,
): Promise<Outcome> {
  const { live, log, monotonic, counts } = options;
  const startedAt = monotonic();
  const received = parseJson(body);
  const parsed = snapshotSchema.safeParse(received, plainly);
  const snapshot = parsed.success ? parsed.data : null;
  const refusal = parsed.success
    ? (lineageRefusal(options, state, parsed.data) ?? live.apply(parsed.data))
    : refuse('invalid', `the snapshot does not fit this release: ${problemText(parsed.error)}`);
  const before = state.etag;
  state.etag = etag ?? (snapshot === null ? null : snapshotEtag(snapshot));
  if (refusal !== undefined) {
    // This may be a delta that lost its media type on the way: the whole snapshot is fetched.
    if (state.follower !== null) state.etag = before;
    state.follower = null;
    live.refuse(snapshot?.version ?? null, refusal.message);
    log.error(
      { version: snapshot?.version, reason: refusal.message },
      'a snapshot was refused; the previous one stays in force',
    );
  } else if (snapshot !== null) {
    state.current = { version: snapshot.version, log: snapshot.log };
    counts.snapshots.whole++;
    state.follower = null;
    // A control plane that sends no root sends no deltas.
    if (root !== null) prepare(options, state, { received, snapshot, root });
    const credentials = credentialsDigest(snapshot);
    const isReplaced = state.cached !== null && state.cached !== credentials;
    state.cached = '';
    if (await writeCache(options, { snapshot, root, isReplaced })) state.cached = credentials;
  }
  return { kind: 'whole', applyMs: monotonic() - startedAt };
}

type Prepared = Omit<Whole, 'compiled'> & Readonly<{ root: string | null }>;

/** The root is null for a cached snapshot. */
function prepare(options: PollOptions, state: State, { root, ...whole }: Prepared): void {
  const { live, log, monotonic, counts } = options;
  const compiled = live.current();
  if (compiled === null) return;
  const steps = followerSteps({ ...whole, compiled });
  const run = async (): Promise<void> => {
    const follower = await inSlices(createYieldTurn(monotonic), steps);
    if (live.current() !== compiled) return;
    if (root === null || follower.root() === root) return void (state.follower = follower);
    counts.snapshots.mismatched++;
    log.error({ root, computed: follower.root() }, 'the snapshot does not have the stated root');
  };
  state.preparing = run().catch((error: unknown) => {
    log.error({ error }, 'deltas cannot be applied to the snapshot; whole snapshots are fetched');
  });
}

/** After a delta that does not fit, the whole snapshot is fetched. */
async function applyDelta(
  options: PollOptions,
  state: State,
  { body, etag }: ControlAnswer,
): Promise<Outcome> {
  const { live, log, monotonic, counts } = options;
  const startedAt = monotonic();
  const { follower } = state;
  state.follower = null;
  const json = parseJson(body);
  const taken = taking(options, state, { json, follower });
  if (isRefusal(taken)) {
    counts.snapshots.mismatched++;
    log.error({ reason: taken.message }, 'a delta was refused; the whole snapshot is fetched');
    return { kind: 'whole', applyMs: monotonic() - startedAt };
  }
  const { version, log: head } = taken.delta;
  live.serve(taken.compiled, { version, log: head });
  Object.assign(state, { follower, etag, current: { version, log: head } });
  counts.snapshots.delta++;
  if (taken.delta.config.providers !== undefined) state.cached = '';
  await appendCache(options, { json, delta: taken.delta, follower: taken.follower });
  return { kind: 'delta', applyMs: monotonic() - startedAt };
}

type Received = Readonly<{ json: unknown; follower: Follower | null }>;

function taking(options: PollOptions, state: State, { json, follower }: Received) {
  if (follower === null) {
    return refuse('invalid', 'the control plane sent a delta without being asked for one');
  }
  const read = readDelta(json);
  if (isRefusal(read)) return read;
  const refusal = lineageRefusal(options, state, read.delta);
  if (refusal !== undefined) return refusal;
  const compiled = follower.apply(read);
  return isRefusal(compiled) ? compiled : { compiled, delta: read.delta, follower };
}

/**
 * The control plane may publish an older version of its own log, for example after a loss. Another
 * log belongs to another installation and needs confirmation.
 */
function lineageRefusal(
  { log, acceptLog }: PollOptions,
  { current }: State,
  next: LogPosition,
): Refusal | undefined {
  const lineage = lineageOf(current, next);
  if (current === null || lineage === 'follows') return undefined;
  const fields = { from: current.version, to: next.version, log: next.log.id };
  if (lineage === 'another_log' && next.log.id !== acceptLog) {
    const how = `to accept it, start with --accept-log ${next.log.id}`;
    return refuse(
      'conflict',
      `the snapshot is from log ${next.log.id}, but log ${current.log.id} is served; ${how}`,
    );
  }
  if (lineage === 'another_log') log.warn(fields, 'a snapshot of another log was accepted');
  else if (lineage === 'went_back') log.warn(fields, 'the snapshot version went back');
  else
    log.warn(fields, 'the log of the control plane has a different history at the same position');
  return undefined;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

type Written = Readonly<{ snapshot: Snapshot; root: string | null; isReplaced: boolean }>;

/** Returns false if a write failed. */
async function writeCache(
  { cache, live, log }: PollOptions,
  { snapshot, root, isReplaced }: Written,
): Promise<boolean> {
  try {
    await cache?.write({ snapshot, seen: live.seen(), root });
    // The file that was kept contains the replaced credential until it is replaced too.
    if (isReplaced) await cache?.write({ snapshot, seen: live.seen(), root });
    return true;
  } catch (error) {
    log.warn({ error }, 'writing the snapshot cache failed');
    return false;
  }
}

const credentialsDigest = ({ config: { providers }, secrets }: Snapshot): string =>
  memberDigest(providers.map(({ credential_ref: ref }) => [ref, secrets[ref ?? ''] ?? null]));

type Appended = Readonly<{ json: unknown; delta: SnapshotDelta; follower: Follower }>;

async function appendCache(
  options: PollOptions,
  { json, delta, follower }: Appended,
): Promise<void> {
  const { cache, live, log } = options;
  if (cache === null) return;
  const { base, root } = delta;
  try {
    const isLarge = !(await cache.append({ delta: json, seen: live.seen(), base, root }));
    const isReplaced = replacesCredential(delta);
    if (!isLarge && !isReplaced) return;
    await writeCache(options, { snapshot: follower.snapshot(), root, isReplaced });
  } catch (error) {
    log.warn({ error }, 'writing the snapshot cache failed');
  }
}

/** The verifiers of keys are hashes, so that they may stay. */
const replacesCredential = ({ config: { providers }, secrets }: SnapshotDelta): boolean =>
  providers !== undefined && secrets.removed.length > 0;

function ignore(): void {}
