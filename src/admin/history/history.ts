// The history: every command and every event of the log, as they are in it. Nothing here is written, and nothing carries a secret:
// events hold refs into the vault in their place.

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
  /** Its number in the stream. */
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
  /** The position whose state the event brings back; absent where it brings back none. */
  causation: eventMetadata.shape.causation,
  /** Its place in the command, from 0, and how many events that made. */
  index: z.int(),
  count: z.int(),
  /** As it was written; null when its owner has redacted it. */
  data: z.unknown(),
  payload_digest: hash,
  leaf_hash: hash,
  hash,
};
const eventRecord = z.object(eventFields);
const wholeEvent = z.object({
  ...eventFields,
  /** Of the event before it in the log; null for the first. */
  previous_hash: hash.nullable(),
  /** Positions; null at the ends of the stream. */
  previous_in_stream: position.nullable(),
  next_in_stream: position.nullable(),
});

export const commandRecord = z.object({
  /** The position of its last event. */
  id: position,
  tx_id: z.uuid(),
  at: timestamp,
  actor_kind: actorKind,
  actor_id: z.int().nullable(),
  /** As it was called then; null when the name was erased. */
  actor_name: z.string().nullable(),
  command: z.string(),
  action: z.string(),
  target: z.string(),
  ...changeWords,
  request_id: z.string(),
  /** As x-gw-reason said; null when it did not, or when it was erased. */
  reason: z.string().nullable(),
  reason_erased: z.boolean(),
  first_position: position,
  event_count: z.int(),
  /** Equal when the command left the snapshot as it was; 0 is none. */
  version_before: position,
  version_after: position,
});

const streamRecord = z.object({
  /** `<kind>-<id>`. */
  stream: z.string(),
  /** How many it has. */
  events: z.int(),
  /** Of the last of them. */
  last_position: position,
  last_at: timestamp,
});

const verified = z
  .object({
    at: timestamp,
    /** The account and the host that ran it. */
    by: z.string(),
    /** Up to which it was verified. */
    position,
    problem_count: z.int(),
    /** The first of them. */
    problem: z.string().nullable(),
  })
  .nullable();

const headRecord = z.object({
  log_id: z.uuid(),
  position,
  hash,
  recorded_at: timestamp,
  /** The snapshot version there, as far as this process has read. */
  snapshot_version: position,
  /** Where the read models of this release stand, and when they were last built; null before they first are. */
  read_models: z.object({ position, built_at: timestamp.nullable() }).nullable(),
  /** What was found the last time, by gw log verify and gw projections verify; null when it never was. */
  verified: z.object({ chain: verified, read_models: verified }),
  /** What does not hold, by a check before signing or by what a replica saw; the newest first. None ends by itself. */
  alarms: z.array(
    z.object({
      at: timestamp,
      /** The first that does not hold, or that the log does not reach. */
      position,
      problem: z.string(),
      /** Which saw another log; null when the chain itself is broken, as are the hashes. */
      replica: z.string().nullable(),
      seen_hash: z.string().nullable(),
      /** Null also where the log ends before. */
      log_hash: z.string().nullable(),
      /** The log went on in this epoch behind a loss; null: nothing explains the alarm. */
      explained_by_epoch: z.int().nullable(),
    }),
  ),
});

/** Rows behind `after` in the order asked for: descending begins with the newest. */
const range = {
  stream: z.string().max(200).optional(),
  /** The id of a principal. */
  actor: wholeNumber({ from: 1 }).optional(),
  actor_kind: actorKind.optional(),
  request_id: z.string().max(200).optional(),
  from: timestampField.optional(),
  /** Not in the range itself. */
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
    summary: 'One row a mutation: who, when, what, why, and the snapshot versions before and after',
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
        behind: ({ id }) => ({ after: id }),
        total: () => countUpTo(db, auditLog),
      });
      return { headers, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/history/events',
    operation: 'listEvents',
    summary: 'The events of the log with their hashes; page by the position of the last one held',
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
        behind: ({ position: after }) => ({ after }),
        total: () => countEvents(db),
      });
      return { headers, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/history/events/{position}',
    operation: 'getEvent',
    summary: 'One event, with its neighbours in its stream and the hash that it follows',
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
    summary: 'The streams of the log by their names; page by the name of the last one held',
    refusals: [],
    params: none,
    query: z.strictObject({
      /** Of the name, in any case. */
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
        behind: ({ stream }) => ({ after: stream }),
        total: async () => null,
      });
      return { headers, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/log/head',
    operation: 'getLogHead',
    summary: 'Where the log ends, and the hash of its chain there',
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
