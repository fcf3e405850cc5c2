// An A2A agent as the fold knows it. Its credential lies in the vault.

import type { AgentDetails, AgentEvent } from '../../events/a2a-agent.ts';
import type { StoredCredential } from '../../events/provider.ts';
import type { AgentId } from '../../src/lib/ids.ts';
import { checkAbsent, existing } from './entity.ts';

export type Agent = Readonly<{
  id: AgentId;
  details: AgentDetails;
  credential: StoredCredential | null;
}>;

export function evolveAgent(agent: Agent | undefined, event: AgentEvent): Agent | undefined {
  switch (event.type) {
    case 'AgentCreated':
      checkAbsent(agent, event);
      return event.data;
    case 'AgentChanged':
      return { ...existing(agent, event), details: event.data.details };
    case 'AgentCredentialSet':
      return { ...existing(agent, event), credential: event.data.credential };
    case 'AgentCredentialCleared':
      return { ...existing(agent, event), credential: null };
    case 'AgentDeleted':
      existing(agent, event);
      return undefined;
  }
}
