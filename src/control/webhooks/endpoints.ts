// Prepares mutations of webhook endpoints: checks the address without dialling it, and moves address
// and secrets to the vault.

import type {
  StoredAddress,
  StoredSecret,
  WebhookEndpointId,
} from '../../../events/webhook-endpoint.ts';
import type { Secret, Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { WebhookFormat } from '../../lib/vocabulary.ts';
import type { Mutation } from '../commands/execute.ts';
import type { CheckAddress } from '../providers/address-check.ts';
import { newSigningSecret } from './signature.ts';

export type EndpointTools = Readonly<{
  vault: Pick<Vault, 'fingerprint'>;
  newId: () => string;
  randomBytes: (size: number) => Uint8Array;
  checkAddress: CheckAddress;
  clock: Clock;
}>;

/** A replaced signing secret signs for this long. */
export const replacedSecretMs = 24 * 60 * 60 * 1000;

export const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue';

/** `plaintext` is the new signing secret, which is shown only once; null for other formats. */
type Prepared = Readonly<{ mutation: Mutation; plaintext: string | null }>;

type NewEndpoint = Readonly<{
  name: string;
  description: string | null;
  types: readonly string[] | null;
  enabled: boolean;
  format: WebhookFormat;
  url?: string | undefined;
  routing_key?: string | undefined;
  /** The signing secret. Absent: a new one is made. */
  secret?: string | undefined;
}>;

export async function endpointCreation(
  tools: EndpointTools,
  { url: given, routing_key, secret: givenSecret, ...rest }: NewEndpoint,
): Promise<Prepared | Refusal> {
  const { format } = rest;
  const url = given ?? (format === 'pagerduty' ? pagerDutyUrl : undefined);
  if (url === undefined) return refuse('invalid', 'url is missing', { param: 'url' });
  const address = await vaultedAddress(tools, url);
  if (isRefusal(address)) return address;
  const unfit = refuseSecrets(format, { routing_key, secret: givenSecret });
  if (unfit !== null) return unfit;
  if (format === 'pagerduty' && routing_key === undefined) return keyMissing;
  const isMade = format === 'standard' && givenSecret === undefined;
  const plaintext = isMade ? newSigningSecret(tools.randomBytes) : (givenSecret ?? routing_key);
  const secret = plaintext === undefined ? null : vaulted(tools, plaintext);
  return {
    mutation: {
      isShownOnce: isMade,
      command: {
        type: 'CreateWebhookEndpoint',
        ...rest,
        address: address.stored,
        secret: secret?.stored ?? null,
      },
      secrets: [address.secret, ...(secret === null ? [] : [secret.secret])],
    },
    plaintext: isMade ? (plaintext ?? null) : null,
  };
}

const keyMissing = refuse(
  'invalid',
  'routing_key is missing: format pagerduty needs an integration key',
  { param: 'routing_key' },
);

/** The field of the secret of each format. */
export const secretFieldOf = {
  standard: 'secret',
  pagerduty: 'routing_key',
  slack: null,
} as const satisfies Record<WebhookFormat, string | null>;

type GivenSecrets = Readonly<Partial<Record<'secret' | 'routing_key', string | undefined>>>;

/** Refuses a secret that the format does not have. */
export function refuseSecrets(format: WebhookFormat, given: GivenSecrets): Refusal | null {
  for (const param of ['secret', 'routing_key'] as const) {
    if (param === secretFieldOf[format] || given[param] === undefined) continue;
    return refuse('invalid', `${param}: format ${format} has none`, { param });
  }
  return null;
}

type Change = Readonly<{
  name?: string | undefined;
  description?: string | null | undefined;
  types?: readonly string[] | null | undefined;
  enabled?: boolean | undefined;
  url?: string | undefined;
  routing_key?: string | undefined;
}>;

export async function endpointUpdate(
  tools: EndpointTools,
  id: WebhookEndpointId,
  { url, routing_key: key, ...change }: Change,
): Promise<Mutation | Refusal> {
  const address = url === undefined ? null : await vaultedAddress(tools, url);
  if (isRefusal(address)) return address;
  const routingKey = key === undefined ? null : vaulted(tools, key);
  return {
    command: {
      type: 'UpdateWebhookEndpoint',
      id,
      ...change,
      address: address?.stored,
      routingKey: routingKey?.stored,
    },
    secrets: [address, routingKey].flatMap((one) => (one === null ? [] : [one.secret])),
  };
}

export function secretRotation(tools: EndpointTools, id: WebhookEndpointId): Prepared {
  const plaintext = newSigningSecret(tools.randomBytes);
  const { stored, secret } = vaulted(tools, plaintext);
  const replacedUntil = toRfc3339(tools.clock() + replacedSecretMs);
  return {
    mutation: {
      command: { type: 'RotateWebhookSecret', id, secret: stored, replacedUntil },
      secrets: [secret],
      isShownOnce: true,
    },
    plaintext,
  };
}

export const endpointDeletion = (id: WebhookEndpointId): Mutation['command'] => ({
  type: 'DeleteWebhookEndpoint',
  id,
});

type Vaulted = Readonly<{ stored: StoredSecret; secret: Secret }>;

function vaulted({ vault, newId }: EndpointTools, plaintext: string): Vaulted {
  const ref = newId();
  return {
    stored: { ref, fingerprint: vault.fingerprint(plaintext) },
    secret: { ref, class: 'credential', plaintext },
  };
}

const invalid = (message: string): Refusal => refuse('invalid', `url ${message}`, { param: 'url' });

/** The refusals never contain the address. */
export function readWebhookUrl(given: string): URL | Refusal {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null) return invalid('is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return invalid('is not an http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    return invalid('must not contain a user name or password');
  }
  return url.hash === '' ? url : invalid('must not have a fragment');
}

async function vaultedAddress(
  tools: EndpointTools,
  given: string,
): Promise<(Vaulted & Readonly<{ stored: StoredAddress }>) | Refusal> {
  const url = readWebhookUrl(given);
  if (isRefusal(url)) return url;
  const refusal = await tools.checkAddress(url.href);
  if (refusal !== null) {
    return refusal.refused === 'invalid' ? invalid(`is refused: ${refusal.message}`) : refusal;
  }
  const { stored, secret } = vaulted(tools, url.href);
  return { stored: { ...stored, origin: url.origin }, secret };
}
