// Serves MCP servers (specification, "Other records"): the parts that differ from other remotes.

import { z } from 'zod';

import { mcpServerId } from '../../../events/mcp-server.ts';
import { nouns } from '../../../events/nouns.ts';
import { listMcpServers } from '../../../projections/tables/mcp-servers.ts';
import { mcpTransport } from '../../lib/vocabulary.ts';
import { changeFields, creationFields, recordFields, remoteRoutes } from './remotes.ts';

const usual = nouns.mcp_server.remote.usual.transport;

export const mcpServerRoutes = remoteRoutes({
  noun: 'mcp_server',
  path: '/admin/mcp-servers',
  id: mcpServerId,
  record: z.object({ id: mcpServerId, ...recordFields, transport: mcpTransport }),
  creation: z.strictObject({ ...creationFields, transport: mcpTransport.default(usual) }),
  change: z.strictObject({ ...changeFields, transport: mcpTransport.optional() }),
  rows: listMcpServers,
  changed: { description: 'Searches the handbook' },
});
