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

const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue';

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
}>;

export async function endpointCreation(
  tools: EndpointTools,
  { url: given, routing_key: routingKey, ...rest }: NewEndpoint,
): Promise<Prepared | Refusal> {
  const { format } = rest;
  const url = given ?? (format === 'pagerduty' ? pagerDutyUrl : undefined);
  if (url === undefined) return refuse('invalid', 'url is missing', { param: 'url' });
  const address = await vaultedAddress(tools, url);
  if (isRefusal(address)) return address;
  const secret = newSecret(tools, format, routingKey);
  if (isRefusal(secret)) return secret;
  return {
    mutation: {
      command: {
        type: 'CreateWebhookEndpoint',
        ...rest,
        address: address.stored,
        secret: secret?.stored ?? null,
      },
      secrets: [address.secret, ...(secret === null ? [] : [secret.secret])],
    },
    plaintext: format === 'standard' ? (secret?.secret.plaintext ?? null) : null,
  };
}

function newSecret(
  tools: EndpointTools,
  format: WebhookFormat,
  routingKey: string | undefined,
): Vaulted | Refusal | null {
  const param = 'routing_key';
  if (format === 'pagerduty') {
    return routingKey === undefined
      ? refuse('invalid', `${param} is missing: format pagerduty needs an integration key`, {
          param,
        })
      : vaulted(tools, routingKey);
  }
  if (routingKey !== undefined) {
    return refuse('invalid', `${param}: format ${format} has none`, { param });
  }
  return format === 'slack' ? null : vaulted(tools, newSigningSecret(tools.randomBytes));
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
async function vaultedAddress(
  tools: EndpointTools,
  given: string,
): Promise<(Vaulted & Readonly<{ stored: StoredAddress }>) | Refusal> {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null) return invalid('is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return invalid('is not an http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    return invalid('must not contain a user name or password');
  }
  if (url.hash !== '') return invalid('must not have a fragment');
  const refusal = await tools.checkAddress(url.href);
  if (refusal !== null) {
    return refusal.refused === 'invalid' ? invalid(`is refused: ${refusal.message}`) : refusal;
  }
  const { stored, secret } = vaulted(tools, url.href);
  return { stored: { ...stored, origin: url.origin }, secret };
}
