// The rules of change for A2A agents (specification, "Other records").

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { AgentDetails } from '../../events/a2a-agent.ts';
import type { StoredCredential } from '../../events/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { agentId } from '../lib/ids.ts';
import type { AgentId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { changeRemote, refuseTaken } from './remote.ts';
import type { RemoteChange } from './remote.ts';

export type AgentCommand =
  | Readonly<{
      type: 'CreateAgent';
      details: AgentDetails;
      credential: StoredCredential | null;
    }>
  | (Readonly<{ type: 'UpdateAgent'; id: AgentId }> & RemoteChange<AgentDetails>)
  | Readonly<{ type: 'DeleteAgent'; id: AgentId }>;

const noun = 'A2A agent';

export const noAgent = (id: number): Refusal => refuse('absent', `${noun} ${id} does not exist`);

export function decideAgent(state: ConfigState, command: AgentCommand): Decision {
  const agents = state.agent;
  if (command.type === 'CreateAgent') {
    const { details, credential } = command;
    const taken = refuseTaken(agents, { id: null, name: details.name }, noun);
    if (taken !== null) return taken;
    const id = agentId.parse(agents.lastId + 1);
    const data = { id, details, credential };
    return [{ stream: streamOf('agent', id), type: 'AgentCreated', data }];
  }
  const { id } = command;
  const held = agents.byId.get(id);
  if (held === undefined) return noAgent(id);
  const stream = streamOf('agent', id);
  if (command.type === 'DeleteAgent') return [{ stream, type: 'AgentDeleted', data: { id } }];
  const changed = changeRemote(agents, held, command, noun);
  if (isRefusal(changed)) return changed;
  const { details, credential } = changed;
  const events: GwEvent[] = [];
  if (details !== null) events.push({ stream, type: 'AgentChanged', data: { id, details } });
  if (credential === null) {
    events.push({ stream, type: 'AgentCredentialCleared', data: { id } });
  } else if (credential !== undefined) {
    events.push({ stream, type: 'AgentCredentialSet', data: { id, credential } });
  }
  return events;
}
