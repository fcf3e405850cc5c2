// An MCP server as the fold knows it. Its credential lies in the vault.

import type { McpServerDetails, McpServerEvent } from '../../events/mcp-server.ts';
import type { StoredCredential } from '../../events/provider.ts';
import type { McpServerId } from '../../src/lib/ids.ts';
import { checkAbsent, existing } from './entity.ts';

export type McpServer = Readonly<{
  id: McpServerId;
  details: McpServerDetails;
  credential: StoredCredential | null;
}>;

export function evolveMcpServer(
  server: McpServer | undefined,
  event: McpServerEvent,
): McpServer | undefined {
  switch (event.type) {
    case 'McpServerCreated':
      checkAbsent(server, event);
      return event.data;
    case 'McpServerChanged':
      return { ...existing(server, event), details: event.data.details };
    case 'McpServerCredentialSet':
      return { ...existing(server, event), credential: event.data.credential };
    case 'McpServerCredentialCleared':
      return { ...existing(server, event), credential: null };
    case 'McpServerDeleted':
      existing(server, event);
      return undefined;
  }
}
