// Keeps the served configuration in step with the control plane (specification, capability 4):
// polls, applies what is new, keeps what it has when the control plane is away or sends what
// cannot be applied.

import { setTimeout as sleep } from 'node:timers/promises';

import { snapshot as snapshotSchema, snapshotEtag } from '../../snapshot/schema.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Live } from '../live.ts';
import type { SnapshotCache } from './cache.ts';
import type { ControlAnswer, ControlClient } from './client.ts';

/** The longest wait between two polls while the control plane is away. */
const backOffMsMax = 30_000;

export type PollOptions = Readonly<{
  client: ControlClient;
  live: Live;
  cache: SnapshotCache | null;
  log: Log;
  pollMs: number;
  /** Between 0 and 1, for the jitter. */
  random: () => number;
}>;

export type Poll = Readonly<{ stop: () => Promise<void> }>;

type State = {
  etag: string | null;
  version: number;
  failures: number;
  /** What `etag` names could not be applied: an older snapshot is being served. */
  isRefused: boolean;
};

/**
 * Resolves after the first poll, so that a start with the control plane up serves from it at
 * once.
 */
export async function startPoll(options: PollOptions): Promise<Poll> {
  const state: State = { etag: null, version: 0, failures: 0, isRefused: false };
  await readCache(options, state);
  const stopping = new AbortController();
  await pollOnce(options, state, stopping.signal);
  const loop = keepPolling(options, state, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function keepPolling(options: PollOptions, state: State, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(waitMs(options, state.failures), undefined, { signal, ref: false }).catch(() => {});
    if (!signal.aborted) await pollOnce(options, state, signal);
  }
}

/** Jitter spreads the polls of many proxies after a control plane comes back. */
function waitMs({ pollMs, random }: PollOptions, failures: number): number {
  const base = Math.min(pollMs * 2 ** Math.min(failures, 16), Math.max(backOffMsMax, pollMs));
  return failures === 0 ? base : base * (0.5 + random() / 2);
}

async function readCache({ cache, live, log }: PollOptions, state: State): Promise<void> {
  if (cache === null) return;
  const { snapshot, refused } = await cache.read();
  if (snapshot === null) return log.info({ refused }, 'no snapshot cache to start from');
  if (refused.length > 0) log.warn({ refused }, 'an older snapshot cache is used');
  const refusal = live.apply(snapshot);
  if (refusal !== undefined) {
    return log.warn({ reason: refusal.message }, 'the cached snapshot was refused');
  }
  state.version = snapshot.version;
  state.etag = snapshotEtag(snapshot);
}

async function pollOnce(options: PollOptions, state: State, signal: AbortSignal): Promise<void> {
  const { client, live, log } = options;
  try {
    const headers = state.etag === null ? {} : { 'if-none-match': state.etag };
    const answer = await client.get(`/snapshot?at_least=${state.version}`, { ...headers }, signal);
    if (answer.status === 200) await applyBody(options, state, answer);
    else if (answer.status !== 304) throw new Error(`status ${answer.status}`);
    else if (!state.isRefused) live.confirm();
    if (state.failures > 0) log.info({}, 'the control plane is back');
    state.failures = 0;
  } catch (error) {
    if (signal.aborted) return;
    // Once a change of state: a control plane that is away for a day is not a line every poll.
    if (state.failures === 0) log.warn({ error }, 'the control plane does not answer');
    state.failures++;
  }
}

/**
 * A refused snapshot is remembered by its ETag, so that it is not fetched again to be refused
 * again.
 */
async function applyBody(
  options: PollOptions,
  state: State,
  { body, etag }: ControlAnswer,
): Promise<void> {
  const { live, log } = options;
  const parsed = snapshotSchema.safeParse(parseJson(body));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    state.etag = etag;
    state.isRefused = true;
    const fields = { field: issue?.path.join('.'), reason: issue?.message };
    return log.error(fields, 'a snapshot of another shape was refused');
  }
  const snapshot = parsed.data;
  if (snapshot.version < state.version) {
    // Only the live control plane may go back: after the loss of its log its word still counts.
    log.warn({ from: state.version, to: snapshot.version }, 'the snapshot version went back');
  }
  const refusal = live.apply(snapshot);
  state.etag = etag ?? snapshotEtag(snapshot);
  state.isRefused = refusal !== undefined;
  if (refusal !== undefined) {
    const fields = { version: snapshot.version, reason: refusal.message };
    return log.error(fields, 'a snapshot was refused');
  }
  state.version = snapshot.version;
  await writeCache(options, snapshot);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

async function writeCache({ cache, log }: PollOptions, snapshot: Snapshot): Promise<void> {
  if (cache === null) return;
  try {
    await cache.write(snapshot);
  } catch (error) {
    log.warn({ error }, 'the snapshot cache was not written');
  }
}
