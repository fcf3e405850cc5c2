// Generates a long log over a configuration of fixed size, without read models: entities are created first and then
// changed, and keys are created and deleted. The same number gives the same log, except for ids and hashes.

import { randomUUID } from 'node:crypto';

import type { GwEvent } from '../../events/catalogue.ts';
import { seal } from '../../events/seal.ts';
import type { LogHead, SealedEvent } from '../../events/seal.ts';
import { appendEvents, lockLog } from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import {
  apiKeyId,
  frontendModelId,
  modelId,
  principalId,
  providerId,
  ruleId,
} from '../../src/lib/ids.ts';
import { noConditions } from '../../src/conditions/values.ts';

export const sizes = { principals: 500, providers: 200, models: 2_000, keys: 10_000, chats: 100 };

const batchEvents = 5_000;
/** The events are spread over a year, whatever their number. */
const yearMs = 365 * 24 * 60 * 60 * 1000;

/** Appends events to an empty log, up to position `events`. */
export async function generateLog(db: Database, events: number): Promise<void> {
  const commands = commandsOf(events);
  const versions = new Map<string, number>();
  const startedAt = Date.now() - yearMs;
  let position = 0;
  while (position < events) {
    position = await db.tx(async (tx) => {
      let head: LogHead = await lockLog(tx);
      const sealed: SealedEvent[] = [];
      while (sealed.length < batchEvents && head.position < events) {
        const own = commands.next().value;
        if (own === undefined) throw new Error('the commands came to an end');
        const at = startedAt + Math.floor((head.position / events) * yearMs);
        const made = sealCommand(own, { head, at, versions });
        sealed.push(...made);
        head = behind(head, made);
      }
      await appendEvents(tx, sealed);
      return head.position;
    });
  }
}

const behind = (head: LogHead, made: readonly SealedEvent[]): LogHead => ({
  ...head,
  ...made.at(-1),
});

type Place = Readonly<{ head: LogHead; at: number; versions: Map<string, number> }>;

function sealCommand(events: readonly GwEvent[], { head, at, versions }: Place): SealedEvent[] {
  const made = seal(events, head, {
    txId: randomUUID(),
    at,
    newId: randomUUID,
    streamVersion: (stream) => versions.get(stream) ?? 0,
    metadata: {
      actor: { kind: 'session', principal_id: 1 },
      command: 'Bench',
      action: 'PATCH',
      target: `/admin/${events[0]?.stream ?? ''}`,
      request_id: randomUUID(),
      reason_ref: null,
      app_version: 'bench',
    },
  });
  for (const { stream, version } of made) versions.set(stream, version);
  return made;
}

/** First all entities, then endless changes. */
function* commandsOf(events: number): Generator<readonly GwEvent[]> {
  for (let at = 1; at <= sizes.principals; at++) yield [principal(at)];
  for (let at = 1; at <= sizes.providers; at++) yield [provider(at)];
  for (let at = 1; at <= sizes.models; at++) yield model(at);
  for (let at = 1; at <= sizes.chats; at++) yield chat(at);
  for (let at = 1; at <= sizes.keys; at++) yield [key(at)];
  for (let at = 1; at <= events; at++) yield change(at);
}

const principal = (number: number): GwEvent => ({
  stream: `principal-${number}`,
  type: 'PrincipalCreated',
  data: {
    id: principalId.parse(number),
    kind: 'service_account',
    name: { text: `team-${number}`, ref: null, fingerprint: hex16(number) },
    email_ref: null,
  },
});

const hex16 = (number: number): string => number.toString(16).padStart(16, '0');

const provider = (number: number): GwEvent => ({
  stream: `provider-${number}`,
  type: 'ProviderCreated',
  data: {
    id: providerId.parse(number),
    name: `engine-${number}`,
    kind: 'static',
    catalogue_key: null,
    endpoint: {
      api_base: `https://engine-${number}.example/v1`,
      protocol: 'openai',
      auth_header: 'authorization',
      auth_scheme: 'Bearer',
    },
    credential: { kind: 'static', ref: randomUUID(), fingerprint: hex16(number) },
  },
});

function model(number: number): GwEvent[] {
  const id = modelId.parse(number);
  const stream = `model-${number}`;
  const provider_id = providerId.parse(1 + (number % sizes.providers));
  const attached = { id, provider_id, upstream_model: `m-${number}`, default_max_tokens: null };
  return [
    { stream, type: 'ModelCreated', data: { id, name: `model-${number}`, description: null } },
    { stream, type: 'ModelBackendAttached', data: attached },
    priced(number, number),
  ];
}

const priced = (number: number, price: number): GwEvent => ({
  stream: `model-${number}`,
  type: 'ModelPriced',
  data: {
    id: modelId.parse(number),
    input_price_per_mtok: price,
    output_price_per_mtok: 2 * price,
  },
});

function chat(number: number): GwEvent[] {
  const id = frontendModelId.parse(number);
  const stream = `frontend_model-${number}`;
  const created = { id, name: `chat-${number}`, description: null, max_model_len: null };
  return [{ stream, type: 'FrontendModelCreated', data: created }, rule(number, number, 'added')];
}

const rule = (number: number, tag: number, change: 'added' | 'changed'): GwEvent => {
  const rule = {
    id: ruleId.parse(number),
    position: 0,
    action: 'route',
    conditions: { ...noConditions, min_prompt_tokens: 1 + (tag % 8_000) },
    deny_status: null,
    deny_message: null,
    jump_to: null,
    tag: `t-${tag}`,
  } as const;
  const stream = `frontend_model-${number}`;
  const id = frontendModelId.parse(number);
  return change === 'added'
    ? { stream, type: 'FrontendModelRuleAdded', data: { id, rule, targets: [] } }
    : { stream, type: 'FrontendModelRuleChanged', data: { id, rule } };
};

const key = (number: number): GwEvent => ({
  stream: `api_key-${number}`,
  type: 'ApiKeyCreated',
  data: {
    id: apiKeyId.parse(number),
    principal_id: principalId.parse(1 + (number % sizes.principals)),
    name: `key-${number}`,
    prefix: `gw-${String(number).padStart(9, '0')}`,
    verifier_ref: randomUUID(),
    expires_at: null,
  },
});

/** Ten changes: six prices, two limits, one rule, and one replaced key. */
function change(at: number): GwEvent[] {
  const spread = (count: number): number => 1 + ((at * 7919) % count);
  switch (at % 10) {
    case 0: {
      const number = sizes.keys + at / 10;
      const old = number - sizes.keys;
      const gone: GwEvent = {
        stream: `api_key-${old}`,
        type: 'ApiKeyDeleted',
        data: { id: apiKeyId.parse(old) },
      };
      return [gone, key(number)];
    }
    case 1:
      return [rule(spread(sizes.chats), at, 'changed')];
    case 2:
    case 3: {
      const number = spread(sizes.principals);
      const limits = { requests_per_min: at, tokens_per_min: null };
      const data = { id: principalId.parse(number), ...limits };
      return [{ stream: `principal-${number}`, type: 'PrincipalLimitsSet', data }];
    }
    default:
      return [priced(spread(sizes.models), at)];
  }
}
