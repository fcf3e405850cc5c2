// Defines the columns of replicas and backends.

import { html } from 'lit';

import type { Replica } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/chart/squares.ts';
import type { Column } from '../../elements/table/table.ts';
import '../../elements/time.ts';
import {
  downText,
  healthText,
  lagOf,
  lagText,
  replicaState,
  seenBy,
} from '../../lib/observe/fleet.ts';
import { versionHelp } from '../../lib/history/history.ts';
import type { MatrixRow, Published } from '../../lib/observe/fleet.ts';
import { formatDuration, formatNumber, formatShare } from '../../lib/text/format.ts';

export type Seen = Replica['backends'][number];

const sumOf = (backends: readonly Seen[], of: (one: Seen) => number): number =>
  backends.reduce((total, one) => total + of(one), 0);

export const cacheShare = ({ cache_hits, cache_misses }: Replica['process']): string =>
  formatShare(cache_hits, cache_hits + cache_misses);

const measures: readonly Column<Replica>[] = [
  {
    id: 'backends',
    label: 'Backends down',
    end: true,
    value: ({ backends }) => backends.filter(({ healthy }) => !healthy).length,
    cell: ({ backends }) => {
      const down = backends.filter(({ healthy }) => !healthy).length;
      const text = `${down} of ${formatNumber(backends.length)}`;
      return down === 0 ? text : html`<gw-badge tone="bad">${text}</gw-badge>`;
    },
  },
  {
    id: 'inflight',
    label: 'In flight',
    end: true,
    value: ({ backends }) => sumOf(backends, ({ inflight }) => inflight),
  },
  {
    id: 'failed',
    label: 'Failed',
    end: true,
    value: ({ process: { requests_ok, requests_failed } }) =>
      requests_ok + requests_failed === 0
        ? null
        : requests_failed / (requests_ok + requests_failed),
    cell: ({ process: { requests_ok, requests_failed } }) =>
      formatShare(requests_failed, requests_ok + requests_failed),
  },
  {
    id: 'cache',
    label: 'Cache hits',
    end: true,
    value: ({ process: { cache_hits, cache_misses } }) =>
      cache_hits + cache_misses === 0 ? null : cache_hits / (cache_hits + cache_misses),
    cell: (one) => cacheShare(one.process),
  },
  {
    id: 'dropped',
    label: 'Usage dropped',
    end: true,
    spare: true,
    value: (one) => one.process.usage_dropped,
  },
  {
    id: 'uptime',
    label: 'Up',
    end: true,
    value: ({ uptime_seconds }) => uptime_seconds,
    cell: ({ uptime_seconds }) => formatDuration(uptime_seconds * 1_000),
  },
  {
    id: 'reported',
    label: 'Reported',
    value: ({ reported_at }) => reported_at,
    cell: ({ reported_at }) => html`<gw-time at=${reported_at}></gw-time>`,
  },
];

type Told = Readonly<{
  published: Published;
  versions: Parameters<typeof lagOf>[1];
  /** The time of the response, so that a row does not change after it is drawn. */
  now: number;
}>;

export const replicaColumns = ({ published, versions, now }: Told): readonly Column<Replica>[] => [
  { id: 'replica', label: 'Replica', value: ({ replica }) => replica },
  {
    id: 'state',
    label: 'State',
    value: (one) => replicaState(one, published, now).word,
    cell: (one) => {
      const { tone, word } = replicaState(one, published, now);
      return html`<gw-badge tone=${tone}>${word}</gw-badge>`;
    },
  },
  {
    id: 'version',
    label: 'Snapshot',
    help: versionHelp,
    end: true,
    value: ({ snapshot_version }) => snapshot_version,
    cell: ({ snapshot_version }) => (snapshot_version === 0 ? 'none' : `v${snapshot_version}`),
  },
  {
    id: 'lag',
    label: 'Behind',
    end: true,
    value: (one) => lagOf(one, versions, now).versions,
    cell: (one) => lagText(lagOf(one, versions, now)),
  },
  {
    id: 'since',
    label: 'Since',
    spare: true,
    value: ({ snapshot_since }) => snapshot_since,
    cell: ({ snapshot_since }) => html`<gw-time at=${snapshot_since}></gw-time>`,
  },
  ...measures,
];

/** More replicas are shown as squares in one column. */
const replicasShown = 12;

const squares = (by: MatrixRow<Seen>['by'], replicas: readonly string[]) => {
  const down = downText(by);
  const label = down === '' ? 'up on all replicas' : `down on ${down}`;
  return html`<gw-squares label=${label} .squares=${seenBy(by, replicas)}></gw-squares> ${down}`;
};

export const matrixColumns = (replicas: readonly string[]): readonly Column<MatrixRow<Seen>>[] => [
  { id: 'model', label: 'Model', value: ({ model }) => model },
  {
    id: 'api_base',
    label: 'Address',
    value: ({ api_base }) => api_base,
    cell: ({ api_base }) => html`<code>${api_base}</code>`,
  },
  {
    id: 'health',
    label: 'Health',
    value: healthText,
    cell: (row) =>
      html`<gw-badge tone=${row.down === 0 ? 'good' : 'bad'}>${healthText(row)}</gw-badge>`,
  },
  { id: 'inflight', label: 'In flight', end: true, value: ({ inflight }) => inflight },
  { id: 'queued', label: 'Queued', end: true, value: ({ queued }) => queued },
  {
    id: 'errors',
    label: 'Errors',
    end: true,
    value: ({ errors, requests }) => (requests === 0 ? null : errors / requests),
    cell: ({ errors, requests }) => formatShare(errors, requests),
  },
  ...(replicas.length > replicasShown ? [squaresColumn(replicas)] : []),
  ...replicas.map((name): Column<MatrixRow<Seen>> => ({
    id: `on ${name}`,
    label: name,
    spare: replicas.length > replicasShown,
    value: ({ by }) => healthWord(by.get(name)),
    cell: ({ by }) => {
      const seen = by.get(name);
      if (seen === undefined) return html`<span class="quiet">not seen</span>`;
      const tone = seen.healthy ? 'good' : 'bad';
      const busy = seen.inflight === 0 ? '' : `, ${seen.inflight} in flight`;
      return html`<gw-badge tone=${tone}>${healthWord(seen)}${busy}</gw-badge>`;
    },
  })),
];

const squaresColumn = (replicas: readonly string[]): Column<MatrixRow<Seen>> => ({
  id: 'replicas',
  label: 'By replica',
  value: ({ by }) => downText(by),
  cell: ({ by }) => squares(by, replicas),
});

const healthWord = (seen: Seen | undefined): string | null =>
  seen === undefined ? null : seen.healthy ? 'up' : 'down';

export const backendColumns: readonly Column<Seen>[] = [
  { id: 'model', label: 'Model', value: ({ model }) => model },
  {
    id: 'healthy',
    label: 'Health',
    value: (one) => healthWord(one),
    cell: (one) =>
      html`<gw-badge tone=${one.healthy ? 'good' : 'bad'}>${healthWord(one)}</gw-badge>`,
  },
  { id: 'inflight', label: 'In flight', end: true, value: ({ inflight }) => inflight },
  {
    id: 'gate',
    label: 'Gate',
    end: true,
    value: ({ admission }) => admission?.in_use ?? null,
    cell: ({ admission }) =>
      admission === undefined
        ? ''
        : `${admission.in_use} of ${admission.capacity}, ${admission.queued} queued`,
  },
  {
    id: 'errors',
    label: 'Errors',
    end: true,
    value: ({ errors_total }) => errors_total,
    cell: ({ errors_total, requests_total }) => formatShare(errors_total, requests_total),
  },
  { id: 'api_base', label: 'Address', spare: true, value: ({ api_base }) => api_base },
];
