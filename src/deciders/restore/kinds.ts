// The kinds of entities in the order in which they are made again: what refers to others comes behind them. They are deleted in the
// other direction, each by the rules of its own deletion.

import { streamOf } from '../../../events/catalogue.ts';
import type { Noun } from '../../../events/catalogue.ts';
import { defaultSettings } from '../../../projections/config/settings.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { adminTokenId, agentId, apiKeyId, mcpServerId } from '../../lib/ids.ts';
import { frontendModelId, modelId, poolId, promptClassId } from '../../lib/ids.ts';
import { principalId, providerId } from '../../lib/ids.ts';
import { decideAgent } from '../a2a-agent.ts';
import type { Decision } from '../decision.ts';
import { decideFrontendModel } from '../frontend-model.ts';
import { decideMcpServer } from '../mcp-server.ts';
import { decideModel } from '../model.ts';
import { decidePool } from '../pool.ts';
import { decidePrincipal } from '../principal.ts';
import { decidePromptClass } from '../prompt-class.ts';
import { decideProvider } from '../provider.ts';
import { deleteRole } from '../role.ts';
import { adminTokens } from './admin-token.ts';
import { apiKeys, principals, roles } from './caller.ts';
import { kind } from './kind.ts';
import { agents, mcpServers, settings } from './records.ts';
import { frontendModels, pools, promptClasses } from './routing.ts';
import { models, providers } from './serving.ts';

export const kinds = [
  kind('role', ({ role }, id) => role.byId.get(id), roles),
  kind('provider', ({ provider }, id) => provider.byId.get(id), providers),
  kind('model', ({ model }, id) => model.byId.get(id), models),
  kind('pool', ({ pool }, id) => pool.byId.get(id), pools),
  kind('frontend_model', (state, id) => state.frontend_model.byId.get(id), frontendModels),
  kind('prompt_class', (state, id) => state.prompt_class.byId.get(id), promptClasses),
  kind('principal', ({ principal }, id) => principal.byId.get(id), principals),
  kind('api_key', (state, id) => state.api_key.byId.get(id), apiKeys),
  kind('admin_token', (state, id) => state.admin_token.byId.get(id), adminTokens),
  kind('mcp_server', (state, id) => state.mcp_server.byId.get(id), mcpServers),
  kind('agent', ({ agent }, id) => agent.byId.get(id), agents),
  kind('settings', (state, id) => state.settings.byId.get(id) ?? defaultSettings, settings),
];

/** Frontend models before what they route to, principals before the roles that they hold. */
export const deletionOrder: readonly Noun[] = [
  'frontend_model',
  'pool',
  'principal',
  'api_key',
  'admin_token',
  'model',
  'provider',
  'role',
  'prompt_class',
  'mcp_server',
  'agent',
];

/** None for one that is gone already, with what it belonged to. */
export function decideDeletion(state: ConfigState, noun: Noun, number: number): Decision {
  if (!state[noun].byId.has(number)) return [];
  switch (noun) {
    case 'role': {
      // By its id: while a state is being restored, another one may have its name.
      const role = state.role.byId.get(number);
      return role === undefined ? [] : deleteRole(state, role);
    }
    case 'provider':
      return decideProvider(state, { type: 'DeleteProvider', id: providerId.parse(number) });
    case 'model':
      return decideModel(state, { type: 'DeleteModel', id: modelId.parse(number) });
    case 'pool':
      return decidePool(state, { type: 'DeletePool', id: poolId.parse(number) });
    case 'frontend_model': {
      const id = frontendModelId.parse(number);
      return decideFrontendModel(state, { type: 'DeleteFrontendModel', id });
    }
    case 'prompt_class': {
      const id = promptClassId.parse(number);
      return decidePromptClass(state, { type: 'DeletePromptClass', id });
    }
    case 'principal':
      return decidePrincipal(state, { type: 'DeletePrincipal', id: principalId.parse(number) });
    case 'api_key': {
      const id = apiKeyId.parse(number);
      return [{ stream: streamOf(noun, id), type: 'ApiKeyDeleted', data: { id } }];
    }
    case 'admin_token': {
      const id = adminTokenId.parse(number);
      return [{ stream: streamOf(noun, id), type: 'AdminTokenDeleted', data: { id } }];
    }
    case 'mcp_server':
      return decideMcpServer(state, { type: 'DeleteMcpServer', id: mcpServerId.parse(number) });
    case 'agent':
      return decideAgent(state, { type: 'DeleteAgent', id: agentId.parse(number) });
    case 'settings':
    case 'change_request':
      return [];
  }
}
