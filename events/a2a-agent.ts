// Defines the events of A2A agents. The gateway does not use them, so they make no snapshot
// version. Names in the log hold no digits, so the noun is `agent`.

import { z } from 'zod';

import { entityId } from '../src/lib/ids.ts';
import { agentProtocolVersion } from '../src/lib/vocabulary.ts';
import type { EventDefinition } from './event.ts';
import { storedCredential } from './provider.ts';
import { remote } from './remote.ts';

export const agentId = entityId.brand<'AgentId'>();

export const agentDetails = remote.extend({ protocol_version: agentProtocolVersion });
export type AgentDetails = z.output<typeof agentDetails>;

export const agentEvents = {
  AgentCreated: {
    touchesSnapshot: false,
    data: z.object({ id: agentId, details: agentDetails, credential: storedCredential.nullable() }),
  },
  AgentChanged: { touchesSnapshot: false, data: z.object({ id: agentId, details: agentDetails }) },
  AgentCredentialSet: {
    touchesSnapshot: false,
    data: z.object({ id: agentId, credential: storedCredential }),
  },
  AgentCredentialCleared: { touchesSnapshot: false, data: z.object({ id: agentId }) },
  AgentDeleted: { touchesSnapshot: false, data: z.object({ id: agentId }) },
} as const satisfies Record<string, EventDefinition>;
