// Follows the changes of one collection: a list gives the current version, a watch the changes after it, and an expired watch starts
// with a list again (kubernetes.io/docs/reference/using-api/api-concepts, "Efficient detection of changes").

import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { parseNamed } from '../lib/plain-issue.ts';
import { refusalOf } from '../kubernetes/answer.ts';
import { withCluster } from '../kubernetes/client.ts';
import type { ClusterClient } from '../kubernetes/client.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import type { Log } from '../telemetry/log.ts';

export type Following = Readonly<{
  place: ClusterPlace;
  /** `query` filters the collection. */
  path: string;
  query: string;
  /** Called after a possible change; the caller then reads the current state. */
  onChange: () => void;
  retryMs: number;
  log: Log;
}>;

const watchSeconds = 300;

const versioned = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const change = z.object({ type: z.string(), object: z.unknown() });

/** Retries failures until the signal. */
export async function followChanges(following: Following, signal: AbortSignal): Promise<void> {
  const { place, path, retryMs, log } = following;
  let version: string | null = null;
  let isLogged = false;
  while (!signal.aborted) {
    try {
      const before: string | null = version;
      version = await withCluster(place, (client) =>
        followOnce(client, { ...following, before }, signal),
      );
      isLogged = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!isLogged) log.warn({ error, path }, 'changes cannot be followed; retrying');
      isLogged = true;
    }
    // Also after a normal end, because a server may end each watch at once.
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns the version to continue from, or null if it has expired. */
async function followOnce(
  client: ClusterClient,
  { path, query, onChange, before }: Following & Readonly<{ before: string | null }>,
  signal: AbortSignal,
): Promise<string | null> {
  let version: string | null = before ?? (await currentVersion(client, `${path}?${query}`, signal));
  // Changes between two watches are found by reading the current state.
  onChange();
  const watch = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${watchSeconds}`;
  const answer = await client.follow(
    `${path}?${query}&${watch}&resourceVersion=${encodeURIComponent(version)}`,
    (line) => {
      const read = change.safeParse(line);
      if (!read.success || read.data.type === 'ERROR') {
        version = null;
        return;
      }
      const object = versioned.safeParse(read.data.object);
      if (object.success && version !== null) version = object.data.metadata.resourceVersion;
      if (read.data.type !== 'BOOKMARK') onChange();
    },
    signal,
  );
  if (answer.status === 410) return null;
  if (answer.status !== 200) throw new Error(`${path} answered ${refusalOf(answer)}`);
  return version;
}

async function currentVersion(
  client: ClusterClient,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const answer = await client.get(`${path}&limit=1`, signal);
  if (answer.status !== 200) throw new Error(`${path} answered ${refusalOf(answer)}`);
  return parseNamed(versioned, answer.body, path).metadata.resourceVersion;
}
