// The table of MCP servers.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { mcpServerDetails, mcpServerId } from '../../events/mcp-server.ts';
import { flag, readRows } from '../../src/db/rows.ts';

import type { Page } from './page.ts';
import { remoteColumns, remoteRow } from './remote.ts';
import type { EntityTable } from './table.ts';

export const mcpServers = {
  name: 'mcp_servers',
  version: 1,
  noun: 'mcp_server',
  owner: 'id',
  columns: { ...remoteColumns, transport: 'text not null' },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const server = state.mcp_server.byId.get(id);
    return server === undefined ? [] : [remoteRow(server)];
  },
} satisfies EntityTable;

const serverRow = mcpServerDetails.extend({ id: mcpServerId, has_upstream_api_key: flag });
export type McpServerRow = Readonly<z.output<typeof serverRow>>;

/** Sorted by name. */
export const listMcpServers = (db: Queryable, page: Page<string>): Promise<McpServerRow[]> =>
  readRows(db, serverRow)`
    select id, name, url, description, auth_header, auth_scheme, enabled, transport,
      credential_ref is not null as has_upstream_api_key
    from mcp_servers where ${page.after}::text is null or name > ${page.after}
    order by name limit ${page.limit}`;
