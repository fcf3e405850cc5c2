// Loads the configuration, the health and the traffic of the picture of the routing.

import { call, list } from '../../api/http/call.ts';
import { listVersions } from '../../api/snapshots.ts';
import { edgesOf, isoEdges } from '../../lib/page/range.ts';
import type { Range } from '../../lib/page/range.ts';
import type { Configuration } from '../../lib/routing/map/graph.ts';

/** Offered to compare with. */
const versionsOffered = 50;

export type Loaded = Configuration &
  Readonly<{ principals: readonly Readonly<{ id: number; name: string }>[] }>;

/** At a version or time, or the shown one. */
export async function loadConfiguration(
  moment: string | null,
  signal: AbortSignal,
): Promise<Loaded> {
  const asked = { signal, ...(moment === null ? {} : { query: { as_of: moment } }) };
  const [frontendModels, pools, models, providers, fallback] = await Promise.all([
    list('/admin/frontend-models', asked),
    list('/admin/model-pools', asked),
    list('/admin/provider-models', asked),
    list('/admin/providers', asked),
    call('GET', '/admin/fallback-model', asked),
  ]);
  const { model_id: id, model: name } = fallback.body;
  const isNamed = frontendModels.some(({ rules }) =>
    rules.some((rule) => rule.principals.length > 0),
  );
  return {
    frontendModels,
    pools,
    models,
    providers,
    fallback: id === null ? null : { id, name: name ?? String(id) },
    principals: isNamed ? await list('/admin/principals', asked) : [],
  };
}

export async function loadCompared(moment: string | undefined, signal: AbortSignal) {
  const [{ body: versions }, configuration] = await Promise.all([
    listVersions({ limit: versionsOffered }, signal),
    moment === undefined ? null : loadConfiguration(moment, signal),
  ]);
  return { versions, configuration };
}

type Asked = Readonly<{
  range: Range | null;
  /** The past version or time that is shown. */
  moment: string | null;
}>;

const hourMs = 3_600_000;

/** Health is known only now. Without a range, the hour before the shown time counts. */
export async function loadLive({ range, moment }: Asked, signal: AbortSignal) {
  const end = moment === null ? Date.now() : await timeOf(moment, signal);
  const edges = edgesOf(range ?? { kind: 'last', ms: hourMs }, range === null ? end : Date.now());
  const [flows, replicas, health] = await Promise.all([
    call('GET', '/admin/usage/flows', { query: isoEdges(edges), signal }),
    moment === null ? call('GET', '/admin/fleet', { signal }) : null,
    moment === null ? call('GET', '/admin/health', { signal }) : null,
  ]);
  return {
    asked: isoEdges(edges),
    ...flows.body,
    /** Each item is the view of one replica. */
    seen:
      replicas === null || health === null
        ? null
        : [...health.body.backends, ...replicas.body.flatMap(({ backends }) => backends)],
  };
}

/** Epoch milliseconds. */
async function timeOf(moment: string, signal: AbortSignal): Promise<number> {
  if (!/^\d+$/.test(moment)) return Date.parse(moment);
  const { body } = await listVersions({ before: Number(moment) + 1, limit: 1 }, signal);
  return body[0] === undefined ? Date.now() : Date.parse(body[0].created_at);
}
