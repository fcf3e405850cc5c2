// Reads the form of a webhook. Addresses and keys are write-only: an empty field keeps the present
// one.

import { notificationTypes, selectableTypes } from '../../../src/notifications/types.ts';
import type { NotificationType } from '../../../src/notifications/types.ts';
import type { Webhook, WebhookFormat } from '../../api/records.ts';
import { differing, textOrNull, wrong } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { lines, linesOf } from '../text/lines.ts';

/** `types` has one line per selected type; `selection` is `usual` for all that are not optional. */
export type WebhookDraft = Readonly<{
  name: string;
  description: string;
  format: WebhookFormat;
  url: string;
  routing_key: string;
  secret: string;
  selection: 'usual' | 'chosen';
  types: string;
  enabled: boolean;
}>;

export const blankWebhook: WebhookDraft = {
  name: '',
  description: '',
  format: 'standard',
  url: '',
  routing_key: '',
  secret: '',
  selection: 'usual',
  types: '',
  enabled: true,
};

export const fromWebhook = (webhook: Webhook): WebhookDraft => ({
  name: webhook.name,
  description: webhook.description ?? '',
  format: webhook.format,
  url: '',
  routing_key: '',
  secret: '',
  selection: webhook.types === null ? 'usual' : 'chosen',
  types: lines(webhook.types ?? []),
  enabled: webhook.enabled,
});

export const formats: readonly Readonly<{ value: WebhookFormat; label: string }>[] = [
  { value: 'standard', label: 'Standard Webhooks' },
  { value: 'slack', label: 'Slack' },
  { value: 'pagerduty', label: 'PagerDuty' },
];

export const formatLabel = (format: WebhookFormat): string =>
  formats.find(({ value }) => value === format)?.label ?? format;

export const typeChoices = selectableTypes.map((type) => ({
  value: type,
  label: notificationTypes[type].title,
}));

/** The title of a type that another release may have added. */
export const typeTitle = (type: string): string =>
  typeChoices.find(({ value }) => value === type)?.label ??
  (type === 'webhook_test' ? notificationTypes.webhook_test.title : type);

export const typesText = (types: readonly string[] | null): string =>
  types === null ? 'all usual types' : types.map(typeTitle).join(', ');

/** Members are omitted if they are empty: an address or a key is kept, or not needed. */
type WebhookBody = Readonly<{
  name: string;
  description: string | null;
  types: NotificationType[] | null;
  enabled: boolean;
  url?: string;
  routing_key?: string;
  secret?: string;
}>;

export function webhookBody(draft: WebhookDraft): Read<WebhookBody> {
  const chosen = linesOf(draft.types);
  const types =
    draft.selection === 'usual' ? null : selectableTypes.filter((type) => chosen.includes(type));
  if (types?.length === 0) return wrong('types', 'Choose at least one type');
  const [url, key] = [draft.url.trim(), draft.routing_key.trim()];
  const secret = draft.secret.trim();
  return {
    body: {
      name: draft.name.trim(),
      description: textOrNull(draft.description),
      types,
      enabled: draft.enabled,
      ...(url === '' ? {} : { url }),
      ...(key === '' || draft.format !== 'pagerduty' ? {} : { routing_key: key }),
      ...(secret === '' || draft.format !== 'standard' ? {} : { secret }),
    },
  };
}

/** Only the members that differ from the webhook. */
export const webhookChange = (body: WebhookBody, webhook: Webhook): Partial<WebhookBody> =>
  differing(body, webhook);

/** The fields as a diff shows them: never an address or a key. */
export function shownWebhook({
  url,
  routing_key: key,
  secret,
  ...rest
}: Partial<WebhookBody>): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    ...(url === undefined ? {} : { address: originOf(url) }),
    ...(key === undefined ? {} : { routing_key: 'new' }),
    ...(secret === undefined ? {} : { secret: 'new' }),
  };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'invalid');
