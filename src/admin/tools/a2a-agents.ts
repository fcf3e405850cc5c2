// A2A agents (specification, "Other records"). Of a credential the list says only whether one is set.

import { z } from 'zod';

import type { Agent } from '../../../projections/config/a2a-agent.ts';
import { a2aAgents, listAgents } from '../../../projections/tables/a2a-agents.ts';
import type { AgentRow } from '../../../projections/tables/a2a-agents.ts';
import { agentId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { agentProtocolVersion } from '../../lib/vocabulary.ts';
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

const agentRecord = z.object({
  id: agentId,
  ...remoteRecord,
  protocol_version: agentProtocolVersion,
});

const params = idIn(agentId);
const config = { permission: 'config:write', query: none } as const;

export const a2aAgentRoutes = [
  ...readRoutes({
    noun: 'agent',
    path: '/admin/a2a-agents',
    called: ['Agent', 'Agents'],
    summaries: {
      list: 'The A2A agents, without their credentials',
      one: 'One A2A agent, without its credential',
    },
    id: agentId,
    record: agentRecord,
    order: byName,
    table: a2aAgents,
    rows: listAgents,
    rowIn: (state, id) => toRow(written(state.agent, id)),
    toBody: (rows) => rows.map(toRemoteRecord),
    absent: (id) => refuse('absent', `A2A agent ${id} does not exist`),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/a2a-agents',
    operation: 'createAgent',
    summary: 'Create an A2A agent; its address is not dialled',
    status: 201,
    refusals: ['conflict'],
    params: none,
    body: z.strictObject({
      ...remoteCreation,
      protocol_version: agentProtocolVersion.default('0.3'),
    }),
    response: agentRecord,
    handle: async ({ body }, call, needs: ToolNeeds) => {
      const input = await readRemote(needs, body);
      if (isRefusal(input)) return input;
      const { name, url, description, enabled, protocol_version } = body;
      const given = { name, url, description, enabled, protocol_version };
      const details = { ...remoteDefaults, ...given, ...input.fields };
      const credential = input.credential ?? null;
      const command = { type: 'CreateAgent', details, credential } as const;
      return mutate(call, { command, secrets: input.secrets }, (outcome) => {
        const agent = written(outcome.state.agent, idOf(outcome, 'AgentCreated'));
        return toRemoteRecord(toRow(agent));
      });
    },
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/a2a-agents/{id}',
    operation: 'updateAgent',
    summary: 'Change an A2A agent; an absent credential stays, an empty one clears it',
    status: 204,
    refusals: ['absent', 'conflict'],
    params,
    body: z.strictObject({ ...remoteChange, protocol_version: agentProtocolVersion.optional() }),
    response: none,
    handle: async ({ params: { id }, body }, call, needs: ToolNeeds) => {
      const input = await readRemote(needs, body);
      if (isRefusal(input)) return input;
      const {
        name,
        description,
        enabled,
        protocol_version,
        keep_credential: keepCredential,
      } = body;
      const details = { name, description, enabled, protocol_version, ...input.fields };
      const { credential, secrets } = input;
      const change = { details, credential, keepCredential };
      const command = { type: 'UpdateAgent', id, ...change } as const;
      return mutate(call, { command, secrets }, () => ({}));
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/a2a-agents/{id}',
    operation: 'deleteAgent',
    summary: 'Delete an A2A agent',
    status: 204,
    refusals: ['absent'],
    params,
    body: none,
    response: none,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DeleteAgent', id } }, () => ({})),
  }),
] as const;

const toRow = ({ id, details, credential }: Agent): AgentRow => ({
  id,
  ...details,
  has_upstream_api_key: credential !== null,
});
