// Serves A2A agents (specification, "Other records"): the parts that differ from other remotes.

import { z } from 'zod';

import { agentId } from '../../../events/a2a-agent.ts';
import { nouns } from '../../../events/nouns.ts';
import { listAgents } from '../../../projections/tables/a2a-agents.ts';
import { agentProtocolVersion } from '../../lib/vocabulary.ts';
import { changeFields, creationFields, recordFields, remoteRoutes } from './remotes.ts';

const usual = nouns.agent.remote.usual.protocol_version;

export const a2aAgentRoutes = remoteRoutes({
  noun: 'agent',
  path: '/admin/a2a-agents',
  id: agentId,
  record: z.object({ id: agentId, ...recordFields, protocol_version: agentProtocolVersion }),
  creation: z.strictObject({
    ...creationFields,
    protocol_version: agentProtocolVersion.default(usual),
  }),
  change: z.strictObject({ ...changeFields, protocol_version: agentProtocolVersion.optional() }),
  rows: listAgents,
  changed: { description: 'Plans journeys' },
});
