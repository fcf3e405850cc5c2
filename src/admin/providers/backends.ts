// Backends: the link of a model to its one provider, and its flow control (specification, "Provider model"). The id of a backend
// is its model's id.

import { z } from 'zod';

import { completeEndpoint } from '../../control/providers/endpoint.ts';
import { decide } from '../../deciders/decide.ts';
import type { BackendTarget } from '../../deciders/model.ts';
import type { Secret } from '../../db/vault.ts';
import { requestsField, requestsOrNoneField, tokensField } from '../../lib/amounts.ts';
import { upstreamModelField } from '../../lib/fields.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import type { ModelId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import { backendRecord, backendRecordIn, flowControlTexts } from './model-record.ts';
import type { BackendRecord } from './model-record.ts';
import { mutate } from '../http/mutation.ts';
import { verify } from './provider-dial.ts';
import { endpointFields, vaultedCredential } from './provider-input.ts';
import type { VaultedCredential } from './provider-input.ts';
import { none, route } from '../http/route.ts';
import type { Call, Handled } from '../http/route.ts';

const attachment = z.strictObject({
  provider_id: providerId.optional(),
  upstream_model: upstreamModelField.optional(),
  default_max_tokens: tokensField.nullable().default(null),
  ...endpointFields,
});
type Attachment = z.output<typeof attachment>;

/** Null is the default; for the concurrency it turns the gate off. */
const change = z.strictObject({
  default_max_tokens: tokensField.nullable().optional(),
  admission_max_concurrent: requestsField
    .nullable()
    .optional()
    .meta({ description: flowControlTexts.concurrent }),
  admission_high_water: requestsField
    .nullable()
    .optional()
    .meta({ description: flowControlTexts.highWater }),
  admission_max_queued: requestsOrNoneField
    .nullable()
    .optional()
    .meta({ description: flowControlTexts.queued }),
  admission_max_wait_seconds: z
    .int()
    .nonnegative()
    .max(86_400)
    .nullable()
    .optional()
    .meta({ description: flowControlTexts.wait }),
  upstream_timeout_seconds: z.int().positive().max(86_400).nullable().optional(),
});

const params = idIn(modelId);
const config = { permission: 'config:write', query: none, params } as const;

export const backendRoutes = [
  route({
    ...config,
    method: 'POST',
    path: '/admin/provider-models/{id}/backends',
    operation: 'attachBackend',
    summary: 'Attach a model to a provider that stands, or to an endpoint',
    refusals: ['absent', 'conflict'],
    body: attachment,
    response: backendRecord,
    handle: ({ params: { id }, body }, call) => attach(id, body, call),
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/backends/{id}',
    operation: 'updateBackend',
    summary:
      'Change the flow control of a backend and its default for max_tokens; null is the default',
    refusals: ['absent'],
    body: change,
    response: backendRecord,
    handle: ({ params: { id }, body }, call) => {
      const { default_max_tokens: defaultMaxTokens, ...flow } = body;
      const flowControl = Object.fromEntries(
        Object.entries(flow).filter(([, value]) => value !== undefined),
      );
      const command = { type: 'UpdateBackend', id, flowControl, defaultMaxTokens } as const;
      return mutate(call, { command }, ({ state }) => backendRecordIn(state, id));
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/backends/{id}',
    operation: 'detachBackend',
    summary: 'Detach a model from its provider; its price and usage stay',
    refusals: ['absent'],
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DetachBackend', id } }, () => ({ id })),
  }),
] as const;

async function attach(id: ModelId, body: Attachment, call: Call): Promise<Handled<BackendRecord>> {
  const { control } = call;
  const credential = vaultedCredential(control, {
    ...body,
    kind: body.credential_kind ?? 'static',
  });
  if (isRefusal(credential)) return credential;
  const target = targetOf(body, credential);
  if (isRefusal(target)) return target;
  const command = {
    type: 'AttachBackend',
    id,
    target,
    upstreamModel: body.upstream_model ?? null,
    defaultMaxTokens: body.default_max_tokens,
  } as const;
  await control.refresh();
  const decision = decide(control.state(), command);
  if (isRefusal(decision)) return decision;
  const secrets: readonly Secret[] = credential === null ? [] : [credential.secret];
  const run = (target: BackendTarget) =>
    mutate(call, { command: { ...command, target }, secrets }, ({ state }) =>
      backendRecordIn(state, id),
    );
  if ('providerId' in target) return run(target);
  // A provider that is found has answered before; meanwhile it may go, and one that never answered must not come.
  if (decision.every(({ type }) => type !== 'ProviderCreated')) {
    return run({ ...target, answered: false });
  }
  const refusal = await verify(control, {
    endpoint: target.endpoint,
    credential:
      credential === null
        ? null
        : { kind: credential.stored.kind, plaintext: credential.plaintext },
    catalogueKey: null,
  });
  return refusal ?? run(target);
}

const endpointNames = [
  'api_base',
  'protocol',
  'auth_header',
  'auth_scheme',
  'upstream_api_key',
  'credential_kind',
] as const;

/** Either a provider or an endpoint, never both. */
function targetOf(body: Attachment, credential: VaultedCredential | null): BackendTarget | Refusal {
  if (body.provider_id !== undefined) {
    const clash = endpointNames.find((name) => body[name] !== undefined);
    if (clash === undefined) return { providerId: body.provider_id };
    return refuse('invalid', `${clash} cannot be combined with provider_id`, { param: clash });
  }
  if (body.api_base === undefined) {
    return refuse('invalid', 'provider_id or api_base is needed', { param: 'provider_id' });
  }
  const endpoint = completeEndpoint(body, null);
  if (isRefusal(endpoint)) return endpoint;
  const defaultName = new URL(endpoint.api_base).host;
  return { endpoint, credential: credential?.stored ?? null, defaultName, answered: true };
}
