// Serves the mutations and events of the log, read-only. Contains no secrets, because events hold
// refs into the vault.

import { z } from 'zod';

import { eventMetadata } from '../../../events/event.ts';
import { auditLog } from '../../../projections/tables/audit-log.ts';
import { countUpTo } from '../../../projections/tables/page.ts';
import { withWords } from '../../control/history/change-words.ts';
import { historyCommands } from '../../control/history/commands.ts';
import { logStatus } from '../../control/log/verifications.ts';
import {
  countEvents,
  historyEvent,
  historyEvents,
  historyStreams,
} from '../../control/history/events.ts';
import { timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { changeWords } from './change-words.ts';
import { limitQuery, wholeNumber } from '../http/fields.ts';
import { historyPage } from './history-page.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const actorKind = eventMetadata.shape.actor.shape.kind;
const hash = z.hash('sha256');
const position = z.int().nonnegative();

const eventFields = {
  position,
  /** `<kind>-<id>`. */
  stream: z.string(),
  /** The number of the event in its stream, from 1. */
  version: z.int(),
  event_id: z.uuid(),
  type: z.string(),
  schema: z.int(),
  tx_id: z.uuid(),
  recorded_at: timestamp,
  actor: z.object({ kind: actorKind, principal_id: z.int().nullable() }),
  command: z.string(),
  action: z.string(),
  target: z.string(),
  request_id: z.string(),
  app_version: z.string(),
  /** The position whose state the event restores. */
  causation: eventMetadata.shape.causation,
  /** The index of the event in its command, from 0. */
  index: z.int(),
  count: z.int(),
  /** The payload as written. Null if its owner redacted it. */
  data: z.unknown(),
  payload_digest: hash,
  leaf_hash: hash,
  hash,
};
const eventRecord = z.object(eventFields);
const wholeEvent = z.object({
  ...eventFields,
  /** Null for the first event of the log. */
  previous_hash: hash.nullable(),
  /** Positions. Null at the ends of the stream. */
  previous_in_stream: position.nullable(),
  next_in_stream: position.nullable(),
});

export const commandRecord = z.object({
  /** The position of the command's last event. */
  id: position,
  tx_id: z.uuid(),
  at: timestamp,
  actor_kind: actorKind,
  actor_id: z.int().nullable(),
  /** The name at that time. Null if erased. */
  actor_name: z.string().nullable(),
  command: z.string(),
  action: z.string(),
  target: z.string(),
  ...changeWords,
  request_id: z.string(),
  /** From x-gw-reason. Null if none was given, or if it was erased. */
  reason: z.string().nullable(),
  reason_erased: z.boolean(),
  first_position: position,
  event_count: z.int(),
  /** Equal if the command did not change the snapshot. 0 if there was no snapshot yet. */
  version_before: position,
  version_after: position,
});

const streamRecord = z.object({
  /** `<kind>-<id>`. */
  stream: z.string(),
  events: z.int(),
  last_position: position,
  last_at: timestamp,
});

const verified = z
  .object({
    at: timestamp,
    /** The account and host that ran the verification. */
    by: z.string(),
    /** Verified up to this position. */
    position,
    problem_count: z.int(),
    problem: z.string().nullable(),
  })
  .nullable();

const headRecord = z.object({
  log_id: z.uuid(),
  position,
  hash,
  recorded_at: timestamp,
  /** The snapshot version at this position, as far as this process has read. */
  snapshot_version: position,
  /** Position and build time of this release's read models. Null before the first build. */
  read_models: z.object({ position, built_at: timestamp.nullable() }).nullable(),
  /** The last results of gw log verify and gw projections verify. Null if never run. */
  verified: z.object({ chain: verified, read_models: verified }),
  /** Newest first. They do not expire. */
  alarms: z.array(
    z.object({
      at: timestamp,
      /** The first position that does not match or is past the end of the log. */
      position,
      problem: z.string(),
      /**
       * The replica that saw a different log. Null, like both hashes, if the hash chain itself is
       * broken.
       */
      replica: z.string().nullable(),
      seen_hash: z.string().nullable(),
      /** Also null if the log ends before the position. */
      log_hash: z.string().nullable(),
      /** The epoch in which the log continued after a loss. Null if nothing explains the alarm. */
      explained_by_epoch: z.int().nullable(),
    }),
  ),
});

/** `after` is relative to the requested order. Descending starts with the newest. */
const range = {
  stream: z.string().max(200).optional(),
  actor: wholeNumber({ from: 1 }).optional(),
  actor_kind: actorKind.optional(),
  request_id: z.string().max(200).optional(),
  from: timestampField.optional(),
  /** Exclusive. */
  to: timestampField.optional(),
  after: wholeNumber({ from: 0 }).optional(),
  limit: limitQuery({ standard: 100 }),
  order: z.enum(['asc', 'desc']).default('desc'),
};
const rangeFields = z.strictObject(range);

const conditionsOf = ({
  stream,
  actor,
  actor_kind: kind,
  request_id: requestId,
  from,
  to,
  after,
  ...rest
}: z.output<typeof rangeFields>) => ({
  ...rest,
  stream: stream ?? null,
  actorId: actor ?? null,
  actorKind: kind ?? null,
  requestId: requestId ?? null,
  from: from ?? null,
  to: to ?? null,
  after: after ?? null,
});

const reading = { method: 'GET', permission: 'usage:read', body: none } as const;

export const historyRoutes = [
  route({
    ...reading,
    path: '/admin/history/commands',
    operation: 'listCommands',
    summary: 'List mutations with actor, time, reason and the snapshot versions before and after',
    refusals: [],
    params: none,
    query: z.strictObject({ ...range, command: z.string().max(64).optional() }),
    response: z.array(commandRecord),
    handle: async ({ query }, { path }, { reports: db, vault }: HistoryNeeds) => {
      const { command, ...asked } = query;
      const conditions = { ...conditionsOf(asked), command: command ?? null };
      const { rows, headers } = await historyPage({
        path,
        asked: query,
        rows: async (limit) =>
          withWords({ db, vault }, await historyCommands({ db, vault }, { ...conditions, limit })),
        nextQuery: ({ id }) => ({ after: id }),
        total: () => countUpTo(db, auditLog),
      });
      return { headers, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/history/events',
    operation: 'listEvents',
    summary:
      'List the events of the log with their hashes; `after` takes the position of the last one',
    refusals: [],
    params: none,
    query: z.strictObject({ ...range, type: z.string().max(64).optional() }),
    response: z.array(eventRecord),
    handle: async ({ query }, { path }, { reports: db }: HistoryNeeds) => {
      const { type, ...asked } = query;
      const conditions = { ...conditionsOf(asked), type: type ?? null };
      const { rows, headers } = await historyPage({
        path,
        asked: query,
        rows: (limit) => historyEvents(db, { ...conditions, limit }),
        nextQuery: ({ position: after }) => ({ after }),
        total: () => countEvents(db),
      });
      return { headers, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/history/events/{position}',
    operation: 'getEvent',
    summary: 'Get an event with the previous hash and its neighbours in its stream',
    refusals: ['absent'],
    params: z.strictObject({ position: wholeNumber({ from: 1 }) }),
    query: none,
    response: wholeEvent,
    handle: async ({ params }, _call, { reports }: HistoryNeeds) => {
      const event = await historyEvent(reports, params.position);
      return isRefusal(event) ? event : { body: event };
    },
  }),
  route({
    ...reading,
    path: '/admin/history/streams',
    operation: 'listStreams',
    summary: 'List the streams of the log by name; `after` takes the name of the last one',
    refusals: [],
    params: none,
    query: z.strictObject({
      /** Case-insensitive substring of the name. */
      part: z.string().max(200).optional(),
      after: z.string().max(200).optional(),
      limit: limitQuery({ standard: 100 }),
    }),
    response: z.array(streamRecord),
    handle: async ({ query }, { path }, { reports: db }: HistoryNeeds) => {
      const { part = null, after = null } = query;
      const { rows, headers } = await historyPage({
        path,
        asked: query,
        rows: (limit) => historyStreams(db, { part, after, limit }),
        nextQuery: ({ stream }) => ({ after: stream }),
        total: async () => null,
      });
      return { headers, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/log/head',
    operation: 'getLogHead',
    summary: 'Get the last position of the log and the hash of its chain',
    refusals: [],
    params: none,
    query: none,
    response: headRecord,
    handle: async (_input, { config }, { db, alarms }: HistoryNeeds) => {
      const status = await logStatus(db);
      await config.refresh();
      const { version } = config.state();
      return { body: { ...status, snapshot_version: version, alarms: [...(await alarms.list())] } };
    },
  }),
] as const;
