// Exports usage as charges for FinOps tools (FinOps Open Cost and Usage Specification 1.2).

import { Readable } from 'node:stream';

import { z } from 'zod';

import { focusCsv, refuseRange } from '../../control/usage/focus-export.ts';
import { timestampField } from '../../lib/fields.ts';
import { focusVersion } from '../../usage/focus/columns.ts';
import type { UsageNeeds } from './needs.ts';
import { inTurns } from '../http/in-turns.ts';
import { none, route } from '../http/route.ts';

const focusExample = 'BilledCost,BillingAccountId,BillingCurrency\r\n0.0105,openai,USD\r\n';

const day = (time: string): string => time.slice(0, 10);

export const usageExportRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage/export',
    operation: 'exportUsage',
    permission: 'usage:read',
    summary: `Export charges by hour, principal, model and dimension as FOCUS ${focusVersion} CSV`,
    mediaType: 'text/csv',
    refusals: [],
    params: none,
    query: z.strictObject({
      format: z.enum(['focus']).default('focus').meta({ description: 'focus: the only format.' }),
      since: timestampField,
      /** Exclusive. The default is now. */
      until: timestampField.optional(),
      unpriced: z
        .enum(['null', 'omit'])
        .default('null')
        .meta({ description: 'Usage without a price: with empty costs, or left out.' }),
    }),
    body: none,
    response: z.string().meta({ examples: [focusExample] }),
    handle: async ({ query }, { config }, { reads, clock }: UsageNeeds) => {
      const { since, until = new Date(clock()).toISOString(), unpriced } = query;
      const refusal = refuseRange({ since, until });
      if (refusal !== null) return refusal;
      await config.refresh();
      // One server for the whole file.
      const db = await reads(async (fit) => fit);
      const name = `focus-${day(since)}-${day(until)}.csv`;
      return {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${name}"`,
        },
        stream: Readable.from(
          inTurns(focusCsv({ db, state: config.state }, { since, until, unpriced })),
        ),
      };
    },
  }),
] as const;
