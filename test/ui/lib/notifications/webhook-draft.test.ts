// Tests how the form of a webhook is read: secrets are sent only if they are typed, and never shown.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Webhook } from '../../../../ui/api/records.ts';
import {
  blankWebhook,
  fromWebhook,
  shownWebhook,
  typesText,
  typeTitle,
  webhookBody,
  webhookChange,
} from '../../../../ui/lib/notifications/webhook-draft.ts';

const held = {
  id: 1,
  version: 1,
  name: 'alerts',
  description: null,
  types: ['backend_down'],
  enabled: true,
  format: 'pagerduty',
  origin: 'https://events.pagerduty.com',
  replaced_secret_expires_at: null,
  created_at: '2026-11-21T12:00:00.000Z',
  queue: null,
} satisfies Webhook;

const bodyOf = (draft: Parameters<typeof webhookBody>[0]) => {
  const read = webhookBody(draft);
  assert.ok('body' in read);
  return read.body;
};

it('omits an address and a key that are not typed', () => {
  const draft = fromWebhook(held);
  assert.deepEqual(webhookChange(bodyOf({ ...draft, enabled: false }), held), { enabled: false });
  const typed = { ...draft, url: ' https://b.example/x ', routing_key: 'K' };
  assert.deepEqual(webhookChange(bodyOf(typed), held), {
    url: 'https://b.example/x',
    routing_key: 'K',
  });
});

it('sends a key only to PagerDuty', () => {
  const draft = { ...blankWebhook, name: 'a', url: 'https://a.example', routing_key: 'K' };
  assert.deepEqual(bodyOf(draft), {
    name: 'a',
    description: null,
    types: null,
    enabled: true,
    url: 'https://a.example',
  });
});

it('needs a type if types are selected', () => {
  const draft = { ...blankWebhook, name: 'a', selection: 'chosen' } as const;
  assert.deepEqual(webhookBody(draft), {
    wrong: { field: 'types', message: 'Choose at least one type' },
  });
  assert.deepEqual(bodyOf({ ...draft, types: 'log_alarm\nbackend_down' }).types, [
    'backend_down',
    'log_alarm',
  ]);
});

it('shows of an address only its origin, and never a key', () => {
  assert.deepEqual(
    shownWebhook({ name: 'a', url: 'https://a.example/secret?key=1', routing_key: 'K' }),
    { name: 'a', address: 'https://a.example', routing_key: 'new' },
  );
});

it('names types by their titles, also those of another release', () => {
  assert.equal(typesText(null), 'all usual types');
  assert.equal(typesText(['backend_down', 'future_type']), 'Backend down, future_type');
  assert.equal(typeTitle('webhook_test'), 'Test');
});
