// Defines the table of webhook endpoints. Rows contain neither addresses nor secrets.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { webhookEndpointId } from '../../events/webhook-endpoint.ts';
import { rowOf } from '../../src/db/columns.ts';
import { readRows } from '../../src/db/rows.ts';
import { webhookFormat } from '../../src/lib/vocabulary.ts';
import type { ConfigState } from '../config/state.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const webhookEndpoints = {
  name: 'webhook_endpoints',
  version: 1,
  noun: 'webhook_endpoint',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    description: 'text',
    types: 'jsonb',
    enabled: 'boolean not null',
    format: 'text not null',
    origin: 'text not null',
    replaced_secret_expires_at: 'timestamptz',
    created_at: 'timestamptz not null',
  },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const endpoint = state.webhook_endpoint.byId.get(id);
    if (endpoint === undefined) return [];
    const { types } = endpoint;
    return [
      {
        id,
        name: endpoint.name,
        description: endpoint.description,
        types: types === null ? null : JSON.stringify(types),
        enabled: endpoint.enabled,
        format: endpoint.format,
        origin: endpoint.address.origin,
        replaced_secret_expires_at: endpoint.replacedSecret?.expires_at ?? null,
        created_at: rfc3339(endpoint.createdAt),
      },
    ];
  },
} satisfies EntityTable;

const endpointRow = rowOf(webhookEndpoints.columns).extend({
  id: webhookEndpointId,
  types: z.array(z.string()).readonly().nullable(),
  format: webhookFormat,
});
export type WebhookEndpointRow = Readonly<z.output<typeof endpointRow>>;

/** Sorted by name. */
export const listWebhookEndpoints = (
  db: Queryable,
  page: Page<string>,
): Promise<WebhookEndpointRow[]> =>
  readRows(db, endpointRow)`
    select id, name, description, types, enabled, format, origin, replaced_secret_expires_at,
      created_at
    from webhook_endpoints where ${page.after}::text is null or name > ${page.after}
    order by name limit ${page.limit}`;

/** The same row, from a configuration in memory. */
export function webhookEndpointRowIn(state: ConfigState, id: number): WebhookEndpointRow | null {
  const endpoint = state.webhook_endpoint.byId.get(id);
  if (endpoint === undefined) return null;
  const { name, description, types, enabled, format, address, replacedSecret } = endpoint;
  const expiresAt = replacedSecret?.expires_at;
  return {
    id: endpoint.id,
    name,
    description,
    types,
    enabled,
    format,
    origin: address.origin,
    replaced_secret_expires_at: expiresAt === undefined ? null : new Date(expiresAt),
    created_at: new Date(endpoint.createdAt),
  };
}
