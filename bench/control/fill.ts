// Fills a log with models and keys through the normal append path, in commands of a thousand events. The vault gets
// the verifiers of the keys.

import { randomBytes, randomUUID } from 'node:crypto';

import type { GwEvent } from '../../events/catalogue.ts';
import { seal } from '../../events/seal.ts';
import { streamVersion } from '../../projections/config/state.ts';
import { advanceReadModel } from '../../projections/read-model.ts';
import { splitCommands } from '../../projections/rows.ts';
import { mintApiKey } from '../../src/control/access/api-key.ts';
import type { ControlPlane } from '../../src/control/plane.ts';
import { appendEvents, lockLog, toRecorded } from '../../src/db/log/event-log.ts';
import type { Secret } from '../../src/db/vault.ts';
import { apiKeyId, modelId, principalId, providerId } from '../../src/lib/ids.ts';

export type Size = Readonly<{
  principals: number;
  providers: number;
  models: number;
  keys: number;
}>;

/** An event, and the secret that it refers to. */
export type Fact = Readonly<{ event: GwEvent; secret?: Secret }>;

const commandEvents = 1000;

const metadata = {
  actor: { kind: 'cli', principal_id: null },
  command: 'Bench',
  action: 'CLI',
  target: 'bench',
  request_id: 'bench',
  reason_ref: null,
  app_version: 'bench',
} as const;

/** Appends to the end of the log and continues its ids. */
export async function fillLog(plane: ControlPlane, size: Size): Promise<void> {
  const state = plane.store.state();
  const last = {
    principal: state.principal.lastId,
    provider: state.provider.lastId,
    model: state.model.lastId,
    key: state.api_key.lastId,
  };
  const facts = [
    ...numbered(size.principals, (at) => principalFact(plane, last.principal + at)),
    ...numbered(size.providers, (at) => providerFact(plane, last.provider + at)),
    ...numbered(size.models, (at) =>
      modelFacts(last.model + at, last.provider + 1 + (at % size.providers)),
    ).flat(),
    ...numbered(size.keys, (at) =>
      keyFact(last.key + at, last.principal + 1 + (at % size.principals)),
    ),
  ];
  for (let done = 0; done < facts.length; done += commandEvents) {
    await appendCommand(plane, facts.slice(done, done + commandEvents));
  }
}

const numbered = <Value>(count: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

function principalFact({ vault }: ControlPlane, number: number): Fact {
  const text = `team-${number}`;
  const name = { text, ref: null, fingerprint: vault.fingerprint(text) };
  const data = {
    id: principalId.parse(number),
    kind: 'service_account',
    name,
    email_ref: null,
  } as const;
  return { event: { stream: `principal-${number}`, type: 'PrincipalCreated', data } };
}

function providerFact({ vault }: ControlPlane, number: number): Fact {
  const plaintext = `sk-${randomBytes(24).toString('hex')}`;
  const secret: Secret = { ref: randomUUID(), class: 'credential', plaintext };
  const endpoint = {
    api_base: `https://engine-${number}.example/v1`,
    protocol: 'openai',
    auth_header: 'authorization',
    auth_scheme: 'Bearer',
  } as const;
  const credential = {
    kind: 'static',
    ref: secret.ref,
    fingerprint: vault.fingerprint(plaintext),
  } as const;
  const data = {
    id: providerId.parse(number),
    name: `engine-${number}`,
    kind: 'static',
    catalogue_key: null,
    endpoint,
    credential,
  } as const;
  return { event: { stream: `provider-${number}`, type: 'ProviderCreated', data }, secret };
}

function modelFacts(number: number, provider: number): Fact[] {
  const id = modelId.parse(number);
  const stream = `model-${number}`;
  const name = `model-${number}`;
  const attached = {
    id,
    provider_id: providerId.parse(provider),
    upstream_model: name,
    default_max_tokens: null,
  };
  const priced = { id, input_price_per_mtok: number, output_price_per_mtok: 2 * number };
  return [
    { event: { stream, type: 'ModelCreated', data: { id, name, description: null } } },
    { event: { stream, type: 'ModelPriced', data: priced } },
    { event: { stream, type: 'ModelBackendAttached', data: attached } },
  ];
}

function keyFact(number: number, principal: number): Fact {
  const { prefix, verifier } = mintApiKey(randomBytes(32));
  const secret: Secret = { ref: randomUUID(), class: 'key_verifier', plaintext: verifier };
  const data = {
    id: apiKeyId.parse(number),
    principal_id: principalId.parse(principal),
    name: `key-${number}`,
    prefix,
    verifier_ref: secret.ref,
    expires_at: null,
  };
  return { event: { stream: `api_key-${number}`, type: 'ApiKeyCreated', data }, secret };
}

export async function appendCommand(
  { db, store, vault }: ControlPlane,
  facts: readonly Fact[],
): Promise<void> {
  const after = await db.tx(async (tx) => {
    const head = await lockLog(tx);
    const before = await store.catchUp(tx, head);
    const events = facts.map(({ event }) => event);
    const sealed = seal(events, head, {
      txId: randomUUID(),
      at: Date.now(),
      newId: randomUUID,
      streamVersion: (stream) => streamVersion(before.state, stream),
      metadata,
    });
    const secrets = facts.flatMap(({ event, secret }) =>
      secret === undefined ? [] : [{ ...secret, subject: event.stream }],
    );
    await appendEvents(tx, sealed, secrets.length === 0 ? [] : [vault.storing(secrets)]);
    const [command] = splitCommands(sealed.map(toRecorded)).commands;
    if (command === undefined) throw new Error('nothing was sealed');
    return advanceReadModel(tx, { cursor: before }, command);
  });
  store.adopt(after);
}
