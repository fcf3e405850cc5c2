// Folds the events of a webhook endpoint. Its address and secrets are in the vault.

import { isSetter } from '../../events/catalogue.ts';
import type {
  ReplacedSecret,
  StoredAddress,
  StoredSecret,
  WebhookEndpointEvent,
  WebhookEndpointId,
} from '../../events/webhook-endpoint.ts';
import { camelKeys } from '../../src/lib/case.ts';
import type { WebhookFormat } from '../../src/lib/vocabulary.ts';
import { checkAbsent, existing, madeAt, withSet } from './entity.ts';

export type WebhookEndpoint = Readonly<{
  id: WebhookEndpointId;
  name: string;
  description: string | null;
  types: readonly string[] | null;
  enabled: boolean;
  format: WebhookFormat;
  address: StoredAddress;
  secret: StoredSecret | null;
  /** Null before the first rotation. */
  replacedSecret: ReplacedSecret | null;
  createdAt: number;
}>;

export function evolveWebhookEndpoint(
  endpoint: WebhookEndpoint | undefined,
  event: WebhookEndpointEvent,
  recordedAt: number,
): WebhookEndpoint | undefined {
  if (isSetter(event)) return withSet(existing(endpoint, event), event.data);
  switch (event.type) {
    case 'WebhookEndpointCreated':
      checkAbsent(endpoint, event);
      return {
        ...camelKeys(event.data),
        replacedSecret: null,
        createdAt: madeAt(event.data.created_at, recordedAt),
      };
    case 'WebhookEndpointDeleted':
      existing(endpoint, event);
      return undefined;
  }
}
