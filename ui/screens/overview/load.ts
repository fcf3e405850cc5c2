// Loads the data of the Overview screen.

import { call, list } from '../../api/http/call.ts';
import { listCommands } from '../../api/history.ts';
import { getPublished } from '../../api/http/published.ts';
import { widthOf } from '../../api/usage.ts';
import { firstRun, hasAnswer, hasAnswerIn, usableKeys } from '../../lib/observe/first-run.ts';
import type { Step } from '../../lib/observe/first-run.ts';
import { fleetState } from '../../lib/observe/fleet.ts';
import { bucketSecondsOf, edgesOf, isoEdges } from '../../lib/page/range.ts';
import type { Range } from '../../lib/page/range.ts';
import { latencyOf } from '../../lib/observe/series.ts';

const changesShown = 5;
const rowsAsked = 100;

export async function loadNow(range: Range, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const bucket = bucketSecondsOf(edges);
  const [series, whole, replicas, health, published, changes] = await Promise.all([
    call('GET', '/admin/timeseries', { query: { ...isoEdges(edges), bucket }, signal }),
    call('GET', '/admin/usage', { query: { ...isoEdges(edges), group_by: 'all' }, signal }),
    call('GET', '/admin/fleet', { signal }),
    call('GET', '/admin/health', { signal }),
    getPublished(signal),
    listCommands({ limit: changesShown }, signal),
  ]);
  return {
    points: series.body,
    edges,
    widthMs: widthOf(series.headers, bucket),
    latency: latencyOf(whole.body[0]),
    fleet: fleetState(replicas.body, { own: health.body.backends, published }),
    version: published.version,
    changes: changes.body,
  };
}

export async function loadFirstRun(signal: AbortSignal): Promise<readonly Step[]> {
  const [providers, models, frontendModels, keys, hasAnswered] = await Promise.all([
    list('/admin/providers', { signal }),
    list('/admin/provider-models', { signal }),
    list('/admin/frontend-models', { signal }),
    list('/admin/keys', { signal }),
    everAnswered(signal),
  ]);
  return firstRun({
    providers: providers.length,
    servedModels: models.filter(({ backends }) => backends.length > 0).length,
    frontendModels: frontendModels.length,
    keys: usableKeys(keys, Date.now()),
    hasAnswered,
  });
}

/** The sums cover all time, so they are loaded only if the newest rows contain no answered request. */
async function everAnswered(signal: AbortSignal): Promise<boolean> {
  const { body: rows } = await call('GET', '/admin/usage/events', {
    query: { limit: rowsAsked },
    signal,
  });
  if (hasAnswer(rows)) return true;
  const { body: sums } = await call('GET', '/admin/usage', { query: { group_by: 'all' }, signal });
  return hasAnswerIn(sums);
}
