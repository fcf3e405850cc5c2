// Serves snapshot versions: authors, replicas, content, differences, and where a past version would
// have routed a request. Contains no credentials or references to them.

import { z } from 'zod';

import { configNouns } from '../../../events/nouns.ts';
import { diffPage } from '../../../projections/diff.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { countUpTo } from '../../../projections/tables/page.ts';
import { snapshotVersions } from '../../../projections/tables/snapshot-versions.ts';
import { momentField } from '../../control/history/moment.ts';
import {
  historyVersion,
  historyVersions,
  redactedConfig,
  shownDifferences,
} from '../../control/history/snapshots.ts';
import { servedBy } from '../../control/fleet/fleet-served.ts';
import { timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { snapshotApiKey, snapshotConfig, snapshotProvider } from '../../snapshot/schema.ts';
import { answerDryRun, dryRunQuestion, dryRunRecord } from '../routing/dry-run.ts';
import { limitQuery, wholeNumber } from '../http/fields.ts';
import { commandRecord } from './history.ts';
import { historyPage } from './history-page.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const kind = z.enum(configNouns);
const position = z.int().nonnegative();
const hash = z.hash('sha256');

/** `since` is when the replica first reported the version. */
const serving = z.object({ replica: z.string(), since: timestamp });

const versionFields = {
  version: position,
  created_at: timestamp,
  snapshot_schema: z.int(),
  /** Equal configurations have equal hashes. */
  content_hash: hash,
  /** As `<kind>-<id>`. */
  changed: z.array(z.string()).readonly(),
  /** The mutation that created the version. */
  made_by: commandRecord.nullable(),
};

const versionRecord = z.object({
  ...versionFields,
  /** Replicas that report to this process and serve the version now. */
  replicas: z.array(serving).readonly(),
  /**
   * Replicas that ever reported the version to any control process: their number, and the first
   * 100.
   */
  served_by: z.object({ replicas: z.int(), first: z.array(serving).readonly() }),
});

const placeRecord = z.object({ position, version: position });

const config = snapshotConfig.extend({
  api_keys: z.array(snapshotApiKey.omit({ verifier_ref: true })).readonly(),
  providers: z
    .array(snapshotProvider.omit({ credential_ref: true }).extend({ has_credential: z.boolean() }))
    .readonly(),
});
const snapshotRecord = z.object({
  ...placeRecord.shape,
  /** Null for a position before the first version. */
  made: z.object(versionFields).nullable(),
  config,
});

export const differenceRecord = z.object({
  kind,
  id: z.int(),
  /** Null if the kind has no names, or if the name was erased. */
  name: z.string().nullable(),
  change: z.enum(['created', 'changed', 'deleted']),
  fields: z
    .array(
      z.object({
        /** Parts are addressed by id: `rules.12.tag`. */
        field: z.string(),
        /** Null if not set. Secrets are shown as `set`, or `changed` if replaced. */
        before: z.unknown(),
        after: z.unknown(),
        secret: z.boolean(),
      }),
    )
    .readonly(),
});
const diffRecord = z.object({
  from: placeRecord,
  to: placeRecord,
  /** Counts all differing entities. The list is cut at the limit. */
  total: z.int(),
  differences: z.array(differenceRecord).readonly(),
});

/** A position between two versions, or a time, resolves to the version that was current then. */
export const ofVersion = z.strictObject({ version: momentField });
const reading = { method: 'GET', permission: 'usage:read', body: none } as const;

export const snapshotRoutes = [
  route({
    ...reading,
    path: '/admin/snapshots',
    operation: 'listSnapshots',
    summary: 'List snapshot versions, newest first, with the replicas that serve them',
    refusals: [],
    params: none,
    query: z.strictObject({
      from: timestampField.optional(),
      /** Exclusive. */
      to: timestampField.optional(),
      /** The oldest version on the previous page. */
      before: wholeNumber({ from: 0 }).optional(),
      /** Use with order=asc. */
      after: wholeNumber({ from: 0 }).optional(),
      order: z.enum(['asc', 'desc']).default('desc'),
      limit: limitQuery({ standard: 100 }),
    }),
    response: z.array(versionRecord),
    handle: async ({ query }, { path }, needs: HistoryNeeds) => {
      const { from = null, to = null, before = null, after = null, order } = query;
      const { rows: versions, headers } = await historyPage({
        path,
        asked: query,
        rows: (limit) => historyVersions(sources(needs), { from, to, before, after, order, limit }),
        nextQuery: ({ version }) => (order === 'asc' ? { after: version } : { before: version }),
        total: () => countUpTo(needs.reports, snapshotVersions),
      });
      const replicas = Map.groupBy(await needs.fleet.rows(), (row) => row.snapshot_version);
      const served = await servedBy(
        needs.reports,
        versions.map(({ version }) => version),
      );
      const body = versions.map((version) =>
        Object.assign(version, {
          replicas: (replicas.get(version.version) ?? []).map((row) => ({
            replica: row.replica,
            since: row.snapshot_since,
          })),
          served_by: served.get(version.version) ?? { replicas: 0, first: [] },
        }),
      );
      return { headers, body };
    },
  }),
  route({
    ...reading,
    path: '/admin/snapshots/{version}',
    operation: 'showSnapshot',
    summary: 'Get the configuration of a snapshot version, without credentials and verifiers',
    refusals: ['absent'],
    params: ofVersion,
    query: none,
    response: snapshotRecord,
    handle: async ({ params: { version } }, { config }, needs: HistoryNeeds) => {
      const state = await config.past.at(version, 'version');
      if (isRefusal(state)) return state;
      const made = await historyVersion(sources(needs), state.version);
      return { body: { ...placeOf(state), made, config: redactedConfig(state) } };
    },
  }),
  route({
    ...reading,
    path: '/admin/snapshots/{from}/diff/{to}',
    operation: 'diffSnapshots',
    summary:
      'Compare two snapshot versions by kind, id and field; a secret only shows that it changed',
    refusals: ['absent'],
    params: z.strictObject({ from: momentField, to: momentField }),
    query: z.strictObject({
      kind: kind.optional(),
      /** Skips this many differences. */
      offset: wholeNumber({ from: 0 }).default(0),
      limit: limitQuery({ standard: 1_000 }),
    }),
    response: diffRecord,
    handle: async ({ params, query: { kind, offset, limit } }, { config }, needs: HistoryNeeds) => {
      const from = await config.past.at(params.from, 'from');
      if (isRefusal(from)) return from;
      const to = await config.past.at(params.to, 'to');
      if (isRefusal(to)) return to;
      const { total, differences: page } = diffPage(from, to, { kind, offset, limit });
      const differences = await shownDifferences(sources(needs), page);
      return { body: { from: placeOf(from), to: placeOf(to), total, differences } };
    },
  }),
  route({
    method: 'POST',
    path: '/admin/snapshots/{version}/dry-run',
    operation: 'dryRunSnapshot',
    permission: 'config:write',
    summary: 'Show where a snapshot version would route a request; consumes no budget',
    asks: true,
    refusals: ['absent'],
    params: ofVersion,
    query: none,
    body: dryRunQuestion,
    response: dryRunRecord,
    handle: async ({ params: { version }, body }, { config }, needs: HistoryNeeds) => {
      const state = await config.past.at(version, 'version');
      if (isRefusal(state)) return state;
      return answerDryRun(body, await needs.routed.ofState(state), needs.clock());
    },
  }),
] as const;

export const sources = ({ reports, vault }: Pick<HistoryNeeds, 'reports' | 'vault'>) => ({
  db: reports,
  vault,
});

const placeOf = ({ position, version }: ConfigState) => ({ position, version });
