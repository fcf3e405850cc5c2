// MCP servers (specification, "Other records"). Of a credential the list says only whether one is set.

import { z } from 'zod';

import type { McpServer } from '../../../projections/config/mcp-server.ts';
import { listMcpServers, mcpServers } from '../../../projections/tables/mcp-servers.ts';
import type { McpServerRow } from '../../../projections/tables/mcp-servers.ts';
import { mcpServerId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { mcpTransport } from '../../lib/vocabulary.ts';
import { readRemote } from '../../control/providers/remotes.ts';
import type { ToolNeeds } from './needs.ts';
import { idIn } from '../http/fields.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byName } from '../lists/page.ts';
import {
  remoteChange,
  remoteCreation,
  remoteDefaults,
  remoteRecord,
  toRemoteRecord,
} from './remote-input.ts';
import { readRoutes } from '../lists/records.ts';
import { none, route } from '../http/route.ts';

const mcpServerRecord = z.object({ id: mcpServerId, ...remoteRecord, transport: mcpTransport });

const params = idIn(mcpServerId);
const config = { permission: 'config:write', query: none } as const;

export const mcpServerRoutes = [
  ...readRoutes({
    noun: 'mcp_server',
    path: '/admin/mcp-servers',
    called: ['McpServer', 'McpServers'],
    summaries: {
      list: 'The MCP servers, without their credentials',
      one: 'One MCP server, without its credential',
    },
    id: mcpServerId,
    record: mcpServerRecord,
    order: byName,
    table: mcpServers,
    rows: listMcpServers,
    rowIn: (state, id) => toRow(written(state.mcp_server, id)),
    toBody: (rows) => rows.map(toRemoteRecord),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/mcp-servers',
    operation: 'createMcpServer',
    summary: 'Create an MCP server; its address is not dialled',
    status: 201,
    refusals: ['conflict'],
    params: none,
    body: z.strictObject({ ...remoteCreation, transport: mcpTransport.default('http') }),
    response: mcpServerRecord,
    handle: async ({ body }, call, needs: ToolNeeds) => {
      const input = await readRemote(needs, body);
      if (isRefusal(input)) return input;
      const { name, url, description, enabled, transport } = body;
      const given = { name, url, description, enabled, transport };
      const details = { ...remoteDefaults, ...given, ...input.fields };
      const credential = input.credential ?? null;
      const command = { type: 'CreateMcpServer', details, credential } as const;
      return mutate(call, { command, secrets: input.secrets }, (outcome) => {
        const server = written(outcome.state.mcp_server, idOf(outcome, 'McpServerCreated'));
        return toRemoteRecord(toRow(server));
      });
    },
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/mcp-servers/{id}',
    operation: 'updateMcpServer',
    summary: 'Change an MCP server; an absent credential stays, an empty one clears it',
    status: 204,
    refusals: ['absent', 'conflict'],
    params,
    body: z.strictObject({ ...remoteChange, transport: mcpTransport.optional() }),
    response: none,
    handle: async ({ params: { id }, body }, call, needs: ToolNeeds) => {
      const input = await readRemote(needs, body);
      if (isRefusal(input)) return input;
      const { name, description, enabled, transport, keep_credential: keepCredential } = body;
      const details = { name, description, enabled, transport, ...input.fields };
      const { credential, secrets } = input;
      const change = { details, credential, keepCredential };
      const command = { type: 'UpdateMcpServer', id, ...change } as const;
      return mutate(call, { command, secrets }, () => ({}));
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/mcp-servers/{id}',
    operation: 'deleteMcpServer',
    summary: 'Delete an MCP server',
    status: 204,
    refusals: ['absent'],
    params,
    body: none,
    response: none,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DeleteMcpServer', id } }, () => ({})),
  }),
] as const;

const toRow = ({ id, details, credential }: McpServer): McpServerRow => ({
  id,
  ...details,
  has_upstream_api_key: credential !== null,
});
