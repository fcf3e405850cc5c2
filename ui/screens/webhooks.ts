// Defines the screen of webhooks, which receive notifications.

import { html } from 'lit';

import { calling, list } from '../api/http/call.ts';
import type { Webhook } from '../api/records.ts';
import '../elements/badge.ts';
import '../elements/time.ts';
import { formatLabel, typesText } from '../lib/notifications/webhook-draft.ts';
import { deletionOf, seen } from '../lib/saves/save.ts';
import { facts, idFact, moment, none } from '../parts/facts.ts';
import { resourceScreen } from '../parts/resource-screen.ts';
import './webhooks/deliveries.ts';
import './webhooks/form.ts';

const stateBadge = ({ enabled }: Webhook) =>
  html`<gw-badge tone=${enabled ? 'good' : 'plain'}>${enabled ? 'enabled' : 'disabled'}</gw-badge>`;

const pendingOf = ({ queue }: Webhook): number => queue?.pending ?? 0;

resourceScreen<Webhook, Readonly<{ rows: readonly Webhook[] }>>({
  screen: 'webhooks',
  about: 'Addresses that get notifications, such as a backend that is down.',
  noun: 'webhook',
  add: 'Create webhook',
  adding: 'Create webhook',
  empty: {
    heading: 'No webhooks yet',
    about:
      'A webhook gets a signed POST for each notification. ' +
      'gw repeats it for 24 hours until it is accepted. Slack and PagerDuty are supported.',
    body: { name: 'alerts', url: 'https://alerts.example.com/gw' },
  },
  load: async (signal) => ({ rows: await list('/admin/webhooks', { signal }) }),
  pollMs: 10_000,
  columns: [
    { id: 'name', label: 'Name', value: ({ name }) => name },
    {
      id: 'enabled',
      label: 'State',
      value: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
      cell: stateBadge,
    },
    { id: 'format', label: 'Format', value: ({ format }) => formatLabel(format) },
    {
      id: 'origin',
      label: 'Address',
      value: ({ origin }) => origin,
      cell: ({ origin }) => html`<code>${origin}/…</code>`,
    },
    { id: 'types', label: 'Notifications', value: ({ types }) => typesText(types) },
    { id: 'pending', label: 'Pending', end: true, value: pendingOf },
    { id: 'description', label: 'Description', value: ({ description }) => description },
    { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
  ],
  form: (row) => (failure) =>
    html`<gw-webhook-form .row=${row} .failure=${failure}></gw-webhook-form>`,
  record: (row, at) =>
    html`${factsOf(row)}
      <gw-webhook-deliveries .webhook=${row} ?writable=${at.isWritable()}></gw-webhook-deliveries>`,
  deletion: (row) =>
    deletionOf(
      { noun: 'webhook', name: row.name },
      { run: calling('DELETE', '/admin/webhooks/{id}', seen(row)) },
    ),
  words: ({ danger }) =>
    danger === true ? html`<p>Its pending notifications are never sent.</p>` : '',
});

function factsOf(row: Webhook) {
  const { queue, replaced_secret_expires_at: replaced } = row;
  return facts([
    ['State', stateBadge(row)],
    ['Format', formatLabel(row.format)],
    ['Address', html`<code>${row.origin}/…</code>`],
    ['Notifications', typesText(row.types)],
    ['Description', row.description ?? none],
    [
      'Pending',
      queue === null || queue.oldest_at === null
        ? String(pendingOf(row))
        : html`${queue.pending}, the oldest since <gw-time at=${queue.oldest_at}></gw-time>`,
    ],
    queue === null || queue.dropped === 0
      ? null
      : [
          'Dropped',
          html`<gw-badge tone="bad">${queue.dropped}</gw-badge>, because the queue was full`,
        ],
    replaced === null || Date.parse(replaced) < Date.now()
      ? null
      : ['Replaced secret', html`signs too until <gw-time absolute at=${replaced}></gw-time>`],
    idFact(row.id),
    ['Created', moment(row.created_at)],
  ]);
}
