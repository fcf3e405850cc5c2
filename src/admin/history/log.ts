// Serves evidence for auditors who do not trust the database: signed checkpoints, their public keys
// and the exact bytes of the events. Contains no secrets, because events hold refs into the vault.

import { Readable } from 'node:stream';

import { z } from 'zod';

import { exportLog } from '../../control/log/export.ts';
import { logRange, signedCheckpoints } from '../../control/log/log-range.ts';
import { timestamp } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { limitQuery, wholeNumber } from '../http/fields.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const position = z.int().nonnegative();

const checkpoints = z.object({
  /** The origin line of this log's checkpoints. */
  origin: z.string(),
  keys: z.array(
    z.object({ since: position, public_key: z.hash('sha256'), verifier_key: z.string() }),
  ),
  /** Oldest first. A note contains log, position and hash (c2sp.org/signed-note). */
  checkpoints: z.array(z.object({ position, note: z.string(), created_at: timestamp })),
});

const reading = { method: 'GET', permission: 'usage:read', params: none, body: none } as const;

export const logRoutes = [
  route({
    ...reading,
    path: '/admin/log/checkpoints',
    operation: 'listCheckpoints',
    summary: 'List signed checkpoints after a position, and all their signing keys',
    refusals: [],
    query: z.strictObject({
      after: wholeNumber({ from: 0 }).default(0),
      limit: limitQuery({ standard: 100 }),
    }),
    response: checkpoints,
    handle: async ({ query }, _call, { reports }: HistoryNeeds) => ({
      body: await signedCheckpoints(reports, query),
    }),
  }),
  route({
    ...reading,
    path: '/admin/log/export',
    operation: 'exportLog',
    summary: 'Export the exact bytes of the events with their checkpoints, one JSON line each',
    refusals: ['absent'],
    mediaType: 'application/x-ndjson',
    query: z.strictObject({
      from: wholeNumber({ from: 1 }).optional(),
      to: wholeNumber({ from: 1 }).optional(),
    }),
    response: z
      .string()
      .meta({ examples: ['{"end":20,"hash":"…","events":20,"checkpoints":1}\n'] }),
    handle: async ({ query: { from = null, to = null } }, _call, { reports }: HistoryNeeds) => {
      const found = await logRange(reports, { from, to });
      if (isRefusal(found)) return found;
      return {
        headers: {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="log.ndjson"',
        },
        stream: Readable.from(exportLog(reports, found.head, found.range)),
      };
    },
  }),
] as const;
