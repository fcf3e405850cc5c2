// Generates random commands on prompt classes, MCP servers, A2A agents, webhooks and the deployment. Uses few
// names and ids, like commands.ts.

import * as fc from 'fast-check';

import { agentId } from '../../../events/a2a-agent.ts';
import { mcpServerId } from '../../../events/mcp-server.ts';
import type { StoredExample } from '../../../events/prompt-class.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import { webhookEndpointId } from '../../../events/webhook-endpoint.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import {
  apiKeyId,
  modelId,
  principalId,
  promptClassId,
  promptExampleId,
} from '../../../src/lib/ids.ts';
import { promptClassTier, webhookFormat } from '../../../src/lib/vocabulary.ts';
import { testRef } from './test-log.ts';
import { agentAt, mcpServerAt } from './remote-examples.ts';

type Of<Type extends Command['type']> = fc.Arbitrary<Extract<Command, { type: Type }>>;

const number = fc.integer({ min: 1, max: 5 });
const text = fc.constantFrom('a', 'b', 'c', 'd');
const ref = fc.integer({ min: 1, max: 999 }).map(testRef);
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });
/** Present half of the time, because several fields are seldom valid together. */
const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const nullable = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const promptClass = number.map((id) => promptClassId.parse(id));
const example: fc.Arbitrary<StoredExample> = fc.record(
  { ref, fingerprint: text, label: text },
  { requiredKeys: ['ref', 'fingerprint'] },
);
const refines = fc.uniqueArray(text, { maxLength: 2 });
const tier = fc.constantFrom(...promptClassTier.options);
const minMargin = fc.constantFrom(0, 0.1, 2);

const promptClasses = [
  fc.record({
    type: fc.constant('CreatePromptClass'),
    name: text,
    description: nullable(text),
    tier,
    minMargin,
    refines,
    examples: fc.array(example, { maxLength: 3 }),
  }) satisfies Of<'CreatePromptClass'>,
  fc.record({
    type: fc.constant('UpdatePromptClass'),
    id: promptClass,
    name: sometimes(text),
    description: sometimes(nullable(text)),
    tier: sometimes(tier),
    minMargin: sometimes(minMargin),
    refines: sometimes(refines),
  }) satisfies Of<'UpdatePromptClass'>,
  fc.record({
    type: fc.constant('AddPromptExample'),
    id: promptClass,
    example,
  }) satisfies Of<'AddPromptExample'>,
  fc.record({
    type: fc.constant('RemovePromptExample'),
    id: promptClass,
    exampleId: number.map((id) => promptExampleId.parse(id)),
  }) satisfies Of<'RemovePromptExample'>,
  fc.record({
    type: fc.constant('DeletePromptClass'),
    id: promptClass,
  }) satisfies Of<'DeletePromptClass'>,
];

const url = fc.constantFrom('https://a.example/mcp', 'https://b.example/mcp');
const credential: fc.Arbitrary<StoredCredential> = fc.record({
  kind: fc.constant('static'),
  ref,
  fingerprint: text,
});
const change = { credential: optional(nullable(credential)), keepCredential: fc.boolean() };
const changed = { name: optional(text), url: optional(url), enabled: optional(fc.boolean()) };
const mcpServer = number.map((id) => mcpServerId.parse(id));
const agent = number.map((id) => agentId.parse(id));

const remotes = [
  fc.record({
    type: fc.constant('CreateMcpServer'),
    details: fc.tuple(text, url).map(([name, at]) => mcpServerAt(name, at)),
    credential: nullable(credential),
  }) satisfies Of<'CreateMcpServer'>,
  fc.record({
    type: fc.constant('UpdateMcpServer'),
    id: mcpServer,
    details: fc.record({ ...changed, transport: optional(fc.constantFrom('http', 'sse')) }),
    ...change,
  }) satisfies Of<'UpdateMcpServer'>,
  fc.record({
    type: fc.constant('DeleteMcpServer'),
    id: mcpServer,
  }) satisfies Of<'DeleteMcpServer'>,
  fc.record({
    type: fc.constant('CreateAgent'),
    details: fc.tuple(text, url).map(([name, at]) => agentAt(name, at)),
    credential: nullable(credential),
  }) satisfies Of<'CreateAgent'>,
  fc.record({
    type: fc.constant('UpdateAgent'),
    id: agent,
    details: fc.record({ ...changed, protocol_version: optional(fc.constantFrom('0.3', '1.0')) }),
    ...change,
  }) satisfies Of<'UpdateAgent'>,
  fc.record({ type: fc.constant('DeleteAgent'), id: agent }) satisfies Of<'DeleteAgent'>,
];

const webhook = number.map((id) => webhookEndpointId.parse(id));
const secret = fc.record({ ref, fingerprint: text });
const address = fc.record({
  ref,
  fingerprint: text,
  origin: fc.constantFrom('https://a.example', 'https://b.example'),
});
const types = nullable(fc.constant(['backend_down']));

const webhooks = [
  fc.record({
    type: fc.constant('CreateWebhookEndpoint'),
    name: text,
    description: nullable(text),
    types,
    enabled: fc.boolean(),
    format: fc.constantFrom(...webhookFormat.options),
    address,
    secret: nullable(secret),
  }) satisfies Of<'CreateWebhookEndpoint'>,
  fc.record({
    type: fc.constant('UpdateWebhookEndpoint'),
    id: webhook,
    name: sometimes(text),
    types: sometimes(types),
    enabled: sometimes(fc.boolean()),
    address: sometimes(address),
    routingKey: sometimes(secret),
  }) satisfies Of<'UpdateWebhookEndpoint'>,
  fc.record({
    type: fc.constant('RotateWebhookSecret'),
    id: webhook,
    secret,
    replacedUntil: fc.constant('2030-01-02T03:04:05.000Z'),
  }) satisfies Of<'RotateWebhookSecret'>,
  fc.record({
    type: fc.constant('DeleteWebhookEndpoint'),
    id: webhook,
  }) satisfies Of<'DeleteWebhookEndpoint'>,
];

const operations = [
  fc.record({ type: fc.constant('RebuildSnapshot') }) satisfies Of<'RebuildSnapshot'>,
  fc.record({ type: fc.constant('RevokeSessions') }) satisfies Of<'RevokeSessions'>,
  fc.record({
    type: fc.constant('RecordDeploymentPatch'),
    patch: fc.record({ replicas: sometimes(nullable(number)), image: sometimes(text) }),
    generation: number,
  }) satisfies Of<'RecordDeploymentPatch'>,
  fc.record({
    type: fc.constant('SetAuditKey'),
    logId: fc.constant('00000000-0000-4000-8000-000000000001'),
    publicKey: fc.constantFrom('1'.repeat(64), '2'.repeat(64)),
    signature: fc.constantFrom(null, 'c2lnbmF0dXJl'),
  }) satisfies Of<'SetAuditKey'>,
  fc.record({
    type: fc.constant('RecordBillReconciliation'),
    report: ref,
    facts: fc.record({
      providers: fc.array(text, { maxLength: 2 }),
      format: fc.constantFrom('openai', 'focus'),
      file_sha256: fc.constant('a'.repeat(64)),
      first_day: fc.constant('2026-11-01'),
      last_day: fc.constant('2026-11-30'),
      totals: fc.constant([{ currency: 'USD', bill_micros: 5, ledger_micros: 3 }]),
      matches: fc.nat(),
      difference_count: fc.nat(),
    }),
  }) satisfies Of<'RecordBillReconciliation'>,
  fc.record({
    type: fc.constant('RecordArchivedUsage'),
    archived: fc.record({
      dataset: fc.constantFrom('usage', 'corrections'),
      hour: fc.constant('2026-11-01T10:00:00.000Z'),
      segment: fc.integer({ min: 1, max: 9 }),
      rows: fc.integer({ min: 1 }),
      manifest_sha256: fc.constant('a'.repeat(64)),
      adopted: fc.boolean(),
    }),
  }) satisfies Of<'RecordArchivedUsage'>,
  fc.record({
    type: fc.constant('RecordUsageDrops'),
    drops: fc.array(
      fc.record({
        reason: fc.constantFrom('queue_full', 'malformed'),
        rows: number,
        replicas: fc.nat(),
      }),
      { maxLength: 2 },
    ),
  }) satisfies Of<'RecordUsageDrops'>,
  fc.record({
    type: fc.constant('RecordReprice'),
    repriced: fc.record({
      reprice_id: fc.integer({ min: 1, max: 9 }),
      since: fc.constant('2026-11-01T00:00:00Z'),
      until: fc.constant('2026-12-01T00:00:00Z'),
      model_id: nullable(number.map((id) => modelId.parse(id))),
      card: fc.constantFrom<2 | 'current' | 'booked'>(2, 'current', 'booked'),
      rows: fc.nat(),
      corrected_rows: fc.nat(),
      unpriced_rows: fc.nat(),
      totals: fc.constant([{ currency: 'USD', delta_micros: -5 }]),
    }),
  }) satisfies Of<'RecordReprice'>,
  fc.record({ type: fc.constant('StartEpoch') }) satisfies Of<'StartEpoch'>,
  fc.record({
    type: fc.constant('EraseVaultItems'),
    items: fc.array(
      fc.record({
        ref,
        subject: fc.constantFrom('provider-1', 'mcp_server-1', 'prompt_class-1', 'principal-2'),
        kind: fc.constantFrom('credential', 'email', 'example'),
      }),
      { maxLength: 3 },
    ),
    principalId: nullable(number.map((id) => principalId.parse(id))),
  }) satisfies Of<'EraseVaultItems'>,
  fc.record({
    type: fc.constant('RecordReseal'),
    keyId: fc.constantFrom('0123abcd', '4567cdef'),
    items: number,
  }) satisfies Of<'RecordReseal'>,
];

export const recordCommands = [...promptClasses, ...remotes, ...webhooks, ...operations];

const classNamed = (name: string, refined: readonly string[]): Command => ({
  type: 'CreatePromptClass',
  name,
  description: null,
  tier: refined.length === 0 ? 'fast' : 'refined',
  minMargin: 0.1,
  refines: refined,
  examples: [],
});

/** Creates classes to change and refine, and a key to enable again. */
export const recordPrelude: readonly Command[] = [
  classNamed('a', []),
  classNamed('b', []),
  classNamed('c', ['a', 'b']),
  {
    type: 'CreateApiKey',
    name: 'a',
    principalId: principalId.parse(1),
    prefix: 'a',
    verifierRef: testRef(1),
    expiresAt: null,
  },
  { type: 'RevokeApiKey', id: apiKeyId.parse(1) },
  { type: 'GrantRole', id: principalId.parse(1), role: 'operator' },
  {
    type: 'CreateAdminToken',
    name: 'a',
    principalId: principalId.parse(1),
    prefix: 'gwt-a',
    verifierRef: testRef(2),
    permissions: ['usage:read'],
    expiresAt: '2030-01-02T03:04:05Z',
    boundBy: null,
  },
];
