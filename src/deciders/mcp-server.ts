// The rules of change for MCP servers (specification, "Other records").

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { McpServerDetails } from '../../events/mcp-server.ts';
import type { StoredCredential } from '../../events/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { mcpServerId } from '../lib/ids.ts';
import type { McpServerId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { changeRemote, refuseTaken } from './remote.ts';
import type { RemoteChange } from './remote.ts';

export type McpServerCommand =
  | Readonly<{
      type: 'CreateMcpServer';
      details: McpServerDetails;
      credential: StoredCredential | null;
    }>
  | (Readonly<{ type: 'UpdateMcpServer'; id: McpServerId }> & RemoteChange<McpServerDetails>)
  | Readonly<{ type: 'DeleteMcpServer'; id: McpServerId }>;

const noun = 'MCP server';

export const noMcpServer = (id: number): Refusal =>
  refuse('absent', `${noun} ${id} does not exist`);

export function decideMcpServer(state: ConfigState, command: McpServerCommand): Decision {
  const servers = state.mcp_server;
  if (command.type === 'CreateMcpServer') {
    const { details, credential } = command;
    const taken = refuseTaken(servers, { id: null, name: details.name }, noun);
    if (taken !== null) return taken;
    const id = mcpServerId.parse(servers.lastId + 1);
    const data = { id, details, credential };
    return [{ stream: streamOf('mcp_server', id), type: 'McpServerCreated', data }];
  }
  const { id } = command;
  const held = servers.byId.get(id);
  if (held === undefined) return noMcpServer(id);
  const stream = streamOf('mcp_server', id);
  if (command.type === 'DeleteMcpServer')
    return [{ stream, type: 'McpServerDeleted', data: { id } }];
  const changed = changeRemote(servers, held, command, noun);
  if (isRefusal(changed)) return changed;
  const { details, credential } = changed;
  const events: GwEvent[] = [];
  if (details !== null) events.push({ stream, type: 'McpServerChanged', data: { id, details } });
  if (credential === null) {
    events.push({ stream, type: 'McpServerCredentialCleared', data: { id } });
  } else if (credential !== undefined) {
    events.push({ stream, type: 'McpServerCredentialSet', data: { id, credential } });
  }
  return events;
}
