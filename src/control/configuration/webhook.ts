// Makes the steps of an apply for webhooks.

import type { StoredSecret } from '../../../events/webhook-endpoint.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import {
  pagerDutyUrl,
  readWebhookUrl,
  refuseSecrets,
  replacedSecretMs,
  secretFieldOf,
} from '../webhooks/endpoints.ts';
import { heldCredential } from './format.ts';
import { commandStep, unchangeable } from './putting.ts';
import type { Made, Putting, StepSources } from './putting.ts';

export function makeWebhook(put: Putting, sources: StepSources): Made | Refusal {
  const { name, at, id, changes, set } = put;
  const given = sources.files.webhooks?.[at];
  if (given === undefined) throw new Error(`the files have no webhook ${at}`);
  const { description = null, types = null, enabled = true } = given;
  const held = sources.state.webhook_endpoint.byId.get(id ?? 0);
  const format = held?.format ?? given.format ?? 'standard';
  if (held !== undefined && changes('format')) return unchangeable('format');
  const unfit = refuseSecrets(format, given);
  if (unfit !== null) return unfit;
  const field = secretFieldOf[format];
  const isUsual = held === undefined && format === 'pagerduty' && given.url === undefined;
  const url = isUsual ? pagerDutyUrl : textOf(put, 'url', given.url);
  if (isRefusal(url)) return url;
  const text = field === null ? null : textOf(put, field, given[field]);
  if (isRefusal(text)) return text;
  const read = url === null ? null : readWebhookUrl(url);
  if (isRefusal(read)) return read;
  const address = read === null ? null : { ...stored(read.href, sources), origin: read.origin };
  const secret = text === null ? null : stored(text, sources);
  const label = `webhook ${name}`;
  if (held === undefined) {
    if (address === null) throw new Error(`${label} is created without an address`);
    const own = { name, description, types, enabled, format, address, secret };
    return commandStep(label, { type: 'CreateWebhookEndpoint', ...own });
  }
  const { steps } = commandStep(label, {
    type: 'UpdateWebhookEndpoint',
    id: held.id,
    name,
    description: set('description', description),
    types: set('types', types),
    enabled: set('enabled', enabled),
    address: address ?? undefined,
    routingKey: (format === 'pagerduty' ? secret : null) ?? undefined,
  });
  if (format !== 'standard' || secret === null) return { steps };
  const replacedUntil = toRfc3339(sources.nowMs + replacedSecretMs);
  const rotation = { type: 'RotateWebhookSecret', id: held.id, secret, replacedUntil } as const;
  return { steps: [...steps, ...commandStep(label, rotation).steps] };
}

/** Null keeps the stored value. A new webhook has none. */
function textOf(
  { id, changes }: Putting,
  field: 'url' | 'secret' | 'routing_key',
  value: string | undefined,
): string | null | Refusal {
  if (value !== undefined && value !== heldCredential) return changes(field) ? value : null;
  if (id !== null) return null;
  const found = value === undefined ? 'is missing' : `is ${heldCredential}`;
  const message = `${field} ${found}, but gw has none for this webhook; use a variable, for example os.environ/NAME`;
  return refuse('invalid', message, { param: field });
}

function stored(plaintext: string, { vaulted, fingerprint }: StepSources): StoredSecret {
  return {
    ref: vaulted({ class: 'credential', plaintext }),
    fingerprint: fingerprint(plaintext),
  };
}
