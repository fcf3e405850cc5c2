// Defines the events of MCP servers. The gateway does not use them, so they make no snapshot
// version.

import { z } from 'zod';

import { entityId } from '../src/lib/ids.ts';
import { mcpTransport } from '../src/lib/vocabulary.ts';
import type { EventDefinition } from './event.ts';
import { storedCredential } from './provider.ts';
import { remote } from './remote.ts';

export const mcpServerId = entityId.brand<'McpServerId'>();

export const mcpServerDetails = remote.extend({ transport: mcpTransport });
export type McpServerDetails = z.output<typeof mcpServerDetails>;

export const mcpServerEvents = {
  McpServerCreated: {
    touchesSnapshot: false,
    data: z.object({
      id: mcpServerId,
      details: mcpServerDetails,
      credential: storedCredential.nullable(),
    }),
  },
  McpServerChanged: {
    touchesSnapshot: false,
    data: z.object({ id: mcpServerId, details: mcpServerDetails }),
  },
  McpServerCredentialSet: {
    touchesSnapshot: false,
    data: z.object({ id: mcpServerId, credential: storedCredential }),
  },
  McpServerCredentialCleared: { touchesSnapshot: false, data: z.object({ id: mcpServerId }) },
  McpServerDeleted: { touchesSnapshot: false, data: z.object({ id: mcpServerId }) },
} as const satisfies Record<string, EventDefinition>;
