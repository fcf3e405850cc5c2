// Generates random commands and the logs that they produce. Uses few names and ids, so that valid
// commands and every kind of refusal occur.

import * as fc from 'fast-check';

import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { Endpoint, StoredCredential } from '../../../events/provider.ts';
import { decideUnderPolicy } from '../../../src/deciders/changes/change-policy.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import type { BackendTarget, ModelFields } from '../../../src/deciders/model.ts';
import { adminTokenId, apiKeyId, modelId, principalId, providerId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { adminVerb, principalKind, providerKind, verb } from '../../../src/lib/vocabulary.ts';
import { endpointAt, plainName, vaultedName } from './examples.ts';
import { budgetCommands } from './budget-commands.ts';
import { append, emptyLog, testMetadata, testRef } from './test-log.ts';
import type { TestLog } from './test-log.ts';
import { recordCommands, recordPrelude } from './record-commands.ts';
import { requestCommands, requestPrelude } from './request-commands.ts';
import { poolCommands, routingCommands, routingPrelude } from './routing-commands.ts';

type Of<Type extends Command['type']> = fc.Arbitrary<Extract<Command, { type: Type }>>;

const number = fc.integer({ min: 1, max: 5 });
const text = fc.constantFrom('a', 'b', 'c', 'd');
const ref = fc.integer({ min: 1, max: 999 }).map(testRef);
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });
const nullable = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const principal = number.map((id) => principalId.parse(id));
const adminToken = number.map((id) => adminTokenId.parse(id));
const apiKey = number.map((id) => apiKeyId.parse(id));
const provider = number.map((id) => providerId.parse(id));
const model = number.map((id) => modelId.parse(id));
const role = fc.constantFrom('inference', 'operator', 'admin', 'a', 'b', 'c');

const name: fc.Arbitrary<StoredName> = fc.oneof(
  text.map(plainName),
  fc.tuple(text, number).map(([held, at]) => vaultedName(held, at)),
);
const endpoint: fc.Arbitrary<Endpoint> = fc
  .tuple(fc.constantFrom('https://a.example/v1', 'https://b.example/v1'), fc.boolean())
  .map(([apiBase, raw]) => endpointAt(apiBase, raw ? { auth_scheme: null } : {}));
const credential: fc.Arbitrary<StoredCredential> = fc
  .tuple(text, ref)
  .map(([fingerprint, at]) => ({ kind: 'static', ref: at, fingerprint }));

const principals = [
  fc.record({
    type: fc.constant('CreatePrincipal'),
    name,
    kind: fc.constantFrom(...principalKind.options),
    emailRef: nullable(ref),
  }) satisfies Of<'CreatePrincipal'>,
  fc.record({
    type: fc.constant('UpdatePrincipal'),
    id: principal,
    name: optional(name),
    emailRef: optional(nullable(ref)),
  }) satisfies Of<'UpdatePrincipal'>,
  fc.record({
    type: fc.constant('DeletePrincipal'),
    id: principal,
  }) satisfies Of<'DeletePrincipal'>,
  fc.record({ type: fc.constant('GrantRole'), id: principal, role }) satisfies Of<'GrantRole'>,
  fc.record({ type: fc.constant('RevokeRole'), id: principal, role }) satisfies Of<'RevokeRole'>,
  fc.record({
    type: fc.constant('SetPassword'),
    id: principal,
    passwordRef: ref,
  }) satisfies Of<'SetPassword'>,
  fc.record({
    type: fc.constant('AdmitIdentity'),
    identity: fc
      .tuple(text, ref)
      .map(([fingerprint, at]) => ({ issuer: 'https://id.example', ref: at, fingerprint })),
    first: fc.oneof(
      fc.constant({ kind: 'refuse' } as const),
      fc.record({ kind: fc.constant('link' as const), id: principal }),
      fc.record({ kind: fc.constant('create' as const), name, emailRef: nullable(ref) }),
    ),
    roles: fc.uniqueArray(role, { maxLength: 3 }),
  }) satisfies Of<'AdmitIdentity'>,
  fc.record({
    type: fc.constant('UnlinkIdentity'),
    id: principal,
  }) satisfies Of<'UnlinkIdentity'>,
  fc.record({
    type: fc.constant('SetLimits'),
    id: principal,
    limits: fc.record({ requestsPerMin: nullable(number), tokensPerMin: nullable(number) }),
  }) satisfies Of<'SetLimits'>,
  fc.record({ type: fc.constant('ClearLimits'), id: principal }) satisfies Of<'ClearLimits'>,
  ...budgetCommands(principal),
];

const permission = { verb: fc.constantFrom(...verb.options), resource: resources() };

function resources(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('*', 'model/*', 'mcp/*', 'agent/x'),
    text.map((named) => `model/${named}`),
  );
}

const roles = [
  fc.record({
    type: fc.constant('CreateRole'),
    name: role,
    description: nullable(text),
  }) satisfies Of<'CreateRole'>,
  fc.record({
    type: fc.constant('UpdateRole'),
    role,
    name: optional(role),
    description: optional(nullable(text)),
  }) satisfies Of<'UpdateRole'>,
  fc.record({ type: fc.constant('DeleteRole'), role }) satisfies Of<'DeleteRole'>,
  fc.record({
    type: fc.constant('GrantPermission'),
    role,
    ...permission,
  }) satisfies Of<'GrantPermission'>,
  fc.record({
    type: fc.constant('RevokePermission'),
    role,
    ...permission,
  }) satisfies Of<'RevokePermission'>,
];

const apiKeys = [
  fc.record({
    type: fc.constant('CreateApiKey'),
    name: text,
    principalId: principal,
    prefix: text,
    verifierRef: ref,
    expiresAt: nullable(fc.constant('2030-01-02T03:04:05Z')),
  }) satisfies Of<'CreateApiKey'>,
  fc.record({
    type: fc.constant('CreateAdminToken'),
    name: text,
    principalId: principal,
    prefix: text,
    verifierRef: ref,
    permissions: fc.subarray(adminVerb.options, { minLength: 1 }),
    expiresAt: fc.constant('2030-01-02T03:04:05Z'),
    boundBy: fc.constant(null),
  }) satisfies Of<'CreateAdminToken'>,
  fc.record({
    type: fc.constant('RevokeAdminToken'),
    id: adminToken,
  }) satisfies Of<'RevokeAdminToken'>,
  fc.record({ type: fc.constant('RevokeApiKey'), id: apiKey }) satisfies Of<'RevokeApiKey'>,
  fc.record({ type: fc.constant('EnableApiKey'), id: apiKey }) satisfies Of<'EnableApiKey'>,
  fc.record({
    type: fc.constant('SetApiKeyExpiry'),
    id: apiKey,
    expiresAt: nullable(fc.constant('2031-01-02T03:04:05Z')),
  }) satisfies Of<'SetApiKeyExpiry'>,
];

const providers = [
  fc.record({
    type: fc.constant('CreateProvider'),
    name: nullable(text),
    defaultName: text,
    kind: fc.constantFrom(...providerKind.options),
    catalogueKey: nullable(text),
    endpoint,
    credential: nullable(credential),
  }) satisfies Of<'CreateProvider'>,
  fc.record({
    type: fc.constant('UpdateProvider'),
    id: provider,
    name: optional(text),
    kind: optional(fc.constantFrom(...providerKind.options)),
    endpoint: optional(endpoint),
    credential: optional(nullable(credential)),
    keepCredential: fc.boolean(),
  }) satisfies Of<'UpdateProvider'>,
  fc.record({
    type: fc.constant('DeleteProvider'),
    id: provider,
  }) satisfies Of<'DeleteProvider'>,
];

const served = fc
  .uniqueArray(text, { maxLength: 3 })
  .map((ids) => ids.map((id) => ({ id, contextLength: null })));

const leases = [
  fc.record({
    type: fc.constant('RegisterProvider'),
    principalId: principal,
    endpoint,
    name: nullable(text),
    defaultName: text,
    node: nullable(text),
    engine: nullable(text),
    served: nullable(served),
    providersMax: number,
  }) satisfies Of<'RegisterProvider'>,
  fc.record({
    type: fc.constant('SweepProvider'),
    id: provider,
    found: fc.oneof(
      served.map((models) => ({ served: models })),
      text.map((failed) => ({ failed })),
    ),
    // A test log covers a minute or two.
    now: fc.constantFrom(0, 3_600_000),
    absentSince: nullable(fc.constant(0)),
  }) satisfies Of<'SweepProvider'>,
];

const amount = optional(nullable(number));
const priceCard = fc.record(
  {
    cache_read: number,
    effective_from: fc.constantFrom('1970-01-01T00:00:10.000Z', '2100-01-01T00:00:00.000Z'),
    context_tiers: fc.constant([{ above_tokens: 10, input: 1 }]),
  },
  { requiredKeys: [] },
);
const fields: fc.Arbitrary<ModelFields> = fc.record({
  name: optional(text),
  description: optional(nullable(text)),
  inputPricePerMtok: amount,
  outputPricePerMtok: amount,
  priceCard: optional(nullable(priceCard)),
  cacheTtlSeconds: amount,
  contextLength: amount,
  dropUnsupportedTools: optional(nullable(fc.boolean())),
});
const target: fc.Arbitrary<BackendTarget> = fc.oneof(
  fc.record({ providerId: provider }),
  fc.record({
    endpoint,
    credential: nullable(credential),
    defaultName: text,
    answered: fc.constant(true),
  }),
);

export const modelCommands = [
  fc.record({
    type: fc.constant('CreateModel'),
    name: text,
    fields,
  }) satisfies Of<'CreateModel'>,
  fc.record({ type: fc.constant('UpdateModel'), id: model, fields }) satisfies Of<'UpdateModel'>,
  fc.record({ type: fc.constant('DeleteModel'), id: model }) satisfies Of<'DeleteModel'>,
  fc.record({
    type: fc.constant('AttachBackend'),
    id: model,
    target,
    upstreamModel: nullable(text),
    defaultMaxTokens: nullable(number),
  }) satisfies Of<'AttachBackend'>,
  fc.record({ type: fc.constant('DetachBackend'), id: model }) satisfies Of<'DetachBackend'>,
  fc.record({
    type: fc.constant('UpdateBackend'),
    id: model,
    flowControl: fc.record({ admission_high_water: nullable(number) }, { requiredKeys: [] }),
    defaultMaxTokens: amount,
  }) satisfies Of<'UpdateBackend'>,
  fc.record({
    type: fc.constant('SetFlowControl'),
    id: model,
    flowControl: fc.record(
      { admission_max_concurrent: nullable(number), upstream_timeout_seconds: nullable(number) },
      { requiredKeys: [] },
    ),
  }) satisfies Of<'SetFlowControl'>,
  fc.record({
    type: fc.constant('SyncPrices'),
    overwrite: fc.boolean(),
    prices: fc.array(
      fc.record({
        id: model,
        upstreamModel: text,
        inputPricePerMtok: number,
        outputPricePerMtok: number,
        priceCard: nullable(fc.record({ cache_read: number })),
      }),
      { maxLength: 3 },
    ),
  }) satisfies Of<'SyncPrices'>,
  fc.record({
    type: fc.constant('SetFallbackModel'),
    modelId: nullable(model),
  }) satisfies Of<'SetFallbackModel'>,
];

/** Applies files that change only what they manage, as planned. */
const appliedCommands = fc
  .record({
    set: fc.constant('default'),
    digest: fc.constant('ab'.repeat(32)),
    taken: fc.array(
      fc.record({
        stream: fc.constantFrom('model-1', 'pool-1'),
        name: nullable(text),
        fields: fc.subarray(['description', 'name']),
      }),
      { maxLength: 2 },
    ),
    released: fc.subarray(['model-2', 'pool-2']),
  })
  .map((data): Command => {
    const event = { stream: 'settings-1', type: 'ConfigurationApplied', data } as const;
    return { type: 'ApplyConfiguration', steps: [{ step: 'applied', data }], events: [event] };
  });

const commandArbitrary: fc.Arbitrary<Command> = fc.oneof(
  ...principals,
  ...roles,
  ...apiKeys,
  ...providers,
  ...leases,
  ...modelCommands,
  ...routingCommands,
  ...poolCommands,
  ...recordCommands,
  ...requestCommands,
  appliedCommands,
);

const seed: Command = { type: 'SeedLog', bootstrapName: plainName('bootstrap') };

/** A sequence of commands after a prelude, which mostly creates models and rules, or classes. */
export const commandSequence = (lengthMax: number): fc.Arbitrary<readonly Command[]> =>
  fc
    .tuple(
      fc.constantFrom(
        [seed],
        [seed, ...routingPrelude],
        [seed, ...recordPrelude],
        [seed, ...requestPrelude],
      ),
      fc.array(commandArbitrary, { maxLength: lengthMax, size: 'max' }),
    )
    .map(([prelude, commands]) => prelude.concat(commands));

const noChange: GwEvent = { stream: 'settings-1', type: 'NoChange', data: {} };

/** Gives a reason, which a change policy may require. */
const maker = { kind: 'session', principalId: null, whyRef: testRef(998) } as const;

/** The events that the command path records for a command; none if it is refused. */
export function eventsOf(state: TestLog['state'], command: Command): readonly GwEvent[] {
  const decision = decideUnderPolicy(state, command, maker);
  if (isRefusal(decision)) return [];
  return decision.length === 0 ? [noChange] : decision;
}

/**
 * The log that `commands` produce. A refused command adds nothing; one without effect adds a
 * NoChange event.
 */
export const logOf = (commands: readonly Command[]): TestLog =>
  commands.reduce(
    (log, command) => append(log, eventsOf(log.state, command), testMetadata(command.type)),
    emptyLog,
  );
