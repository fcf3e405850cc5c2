// Lists the kinds of entities that a restore covers, in order of creation: an entity comes after
// those that it references.

import { streamOf } from '../../../events/catalogue.ts';
import { remoteNouns } from '../../../events/nouns.ts';
import type { Noun } from '../../../events/nouns.ts';
import { defaultSettings } from '../../../projections/config/settings.ts';
import { decideFrontendModel } from '../frontend-model.ts';
import { targetsIn } from '../model-reference.ts';
import { decideModel } from '../model.ts';
import { decidePool } from '../pool.ts';
import { decidePrincipal } from '../callers/principal.ts';
import { decidePromptClass } from '../prompt-class.ts';
import { decideProvider } from '../provider.ts';
import { deleteRole } from '../callers/role.ts';
import { adminTokens } from './admin-token.ts';
import { apiKeys, principals, roles } from './caller.ts';
import { kind } from './kind.ts';
import type { Kind } from './kind.ts';
import { remoteEvent } from '../remote.ts';
import { remotes, settings } from './records.ts';
import { frontendModels, pools, promptClasses } from './routing.ts';
import { models, providers } from './serving.ts';
import { webhookEndpoints } from './webhook-endpoint.ts';

const to = (noun: Noun, ids: readonly (number | null | undefined)[]): string[] =>
  ids.flatMap((id) => (id === null || id === undefined ? [] : streamOf(noun, id)));

const ownName = { name: ({ name }: { name: string }) => name };
const ofPrincipal = {
  needs: ({ principalId }: { principalId: number }) => to('principal', [principalId]),
};

export const kinds: readonly Kind[] = [
  kind('role', ({ role }, id) => role.byId.get(id), { ...roles, ...ownName, remove: deleteRole }),
  kind('provider', ({ provider }, id) => provider.byId.get(id), {
    ...providers,
    ...ownName,
    remove: (state, { id }) => decideProvider(state, { type: 'DeleteProvider', id }),
  }),
  kind('model', ({ model }, id) => model.byId.get(id), {
    ...models,
    ...ownName,
    needs: ({ backend }) => to('provider', [backend?.providerId]),
    remove: (state, { id }) => decideModel(state, { type: 'DeleteModel', id }),
  }),
  kind('pool', ({ pool }, id) => pool.byId.get(id), {
    ...pools,
    ...ownName,
    needs: ({ members }) =>
      to(
        'model',
        members.map(({ model_id }) => model_id),
      ),
    remove: (state, { id }) => decidePool(state, { type: 'DeletePool', id }),
  }),
  kind('frontend_model', (state, id) => state.frontend_model.byId.get(id), {
    ...frontendModels,
    ...ownName,
    needs: (held) => {
      const targets = targetsIn(held);
      const [models, pools, jumps] = [
        targets.map(({ model_id }) => model_id),
        targets.map(({ pool_id }) => pool_id),
        held.rules.map(({ jump_to }) => jump_to),
      ];
      return [...to('model', models), ...to('pool', pools), ...to('frontend_model', jumps)];
    },
    remove: (state, { id }) => decideFrontendModel(state, { type: 'DeleteFrontendModel', id }),
  }),
  kind('prompt_class', (state, id) => state.prompt_class.byId.get(id), {
    ...promptClasses,
    ...ownName,
    needs: ({ refines }) => to('prompt_class', refines),
    remove: (state, { id }) => decidePromptClass(state, { type: 'DeletePromptClass', id }),
  }),
  kind('principal', ({ principal }, id) => principal.byId.get(id), {
    ...principals,
    name: ({ name }) => name.fingerprint,
    needs: ({ roleIds }) => to('role', roleIds),
    remove: (state, { id }) => decidePrincipal(state, { type: 'DeletePrincipal', id }),
  }),
  kind('api_key', (state, id) => state.api_key.byId.get(id), {
    ...apiKeys,
    ...ofPrincipal,
    remove: (_state, { id }) => [
      { stream: streamOf('api_key', id), type: 'ApiKeyDeleted', data: { id } },
    ],
  }),
  kind('admin_token', (state, id) => state.admin_token.byId.get(id), {
    ...adminTokens,
    ...ofPrincipal,
    remove: (_state, { id }) => [
      { stream: streamOf('admin_token', id), type: 'AdminTokenDeleted', data: { id } },
    ],
  }),
  ...remoteNouns.map((noun) =>
    kind(noun, (state, id) => state[noun].byId.get(id), {
      ...remotes(noun),
      name: ({ details }) => details.name,
      remove: (_state, { id }) => [remoteEvent(noun, 'Deleted', { id })],
    }),
  ),
  kind('webhook_endpoint', (state, id) => state.webhook_endpoint.byId.get(id), {
    ...webhookEndpoints,
    ...ownName,
    remove: (_state, { id }) => [
      { stream: streamOf('webhook_endpoint', id), type: 'WebhookEndpointDeleted', data: { id } },
    ],
  }),
  kind('settings', (state, id) => state.settings.byId.get(id) ?? defaultSettings, {
    ...settings,
    needs: ({ fallbackModelId }) => to('model', [fallbackModelId]),
  }),
];

/** Null for a noun that is not restored. */
export const kindOf = (noun: Noun): Kind | null => kinds.find((one) => one.noun === noun) ?? null;

/** In order of deletion: frontend models before their targets, principals before their roles. */
const deletedFirst: readonly Noun[] = [
  'frontend_model',
  'pool',
  'principal',
  'api_key',
  'admin_token',
  'model',
  'provider',
];

export const deletionOrder: readonly Noun[] = [
  ...deletedFirst,
  ...kinds.map(({ noun }) => noun).filter((noun) => !deletedFirst.includes(noun)),
];
