// Defines the screen of admin tokens.

import { html } from 'lit';

import { calling, list } from '../api/http/call.ts';
import {
  carriableOf,
  changeEnvironment,
  sessionCurl,
  tokenBody,
} from '../lib/access/token-draft.ts';
import { choicesOf } from '../lib/page/choices.ts';
import { seen } from '../lib/saves/save.ts';
import { bearerScreen } from '../parts/bearers/bearers.ts';
import { apiBase } from '../state/base.ts';
import { may } from '../state/session.ts';

bearerScreen({
  screen: 'tokens',
  about: 'Credentials for programs that call the admin API. Each belongs to one principal.',
  noun: 'admin token',
  empty: {
    about:
      'Programs such as CI jobs send an admin token to the admin API. It always expires, and gw shows it only once.',
    body: { name: 'terraform', principal_id: 1, permissions: ['usage:read'] },
  },
  list: (signal) => list('/admin/tokens', { signal }),
  mayWrite: () => may('config:write'),
  mayRevoke: () => may('config:write'),
  revoke: (one) => calling('DELETE', '/admin/tokens/{id}', seen(one)),
  revoked:
    'Requests with this token fail immediately. A revoked token cannot be restored. Its record is kept.',
  columns: [
    {
      id: 'permissions',
      label: 'Permissions',
      value: ({ permissions }) => permissions.join(', '),
      cell: ({ permissions }) => html`<code>${permissions.join(', ')}</code>`,
    },
  ],
  hints: {
    principal:
      'The audit log attributes the actions of the program to this principal. Use a service account.',
    name: 'Where the token is used, for example deploy-pipeline',
  },
  expiries: [
    { value: '7', label: 'In 7 days' },
    { value: '30', label: 'In 30 days' },
    { value: '90', label: 'In 90 days' },
    // One day less than the maximum, because the browser's clock can be ahead of the server's.
    { value: '364', label: 'In 364 days' },
    { value: 'date', label: 'At a specific time' },
  ],
  reach: ({ name, held }) => {
    const choices = choicesOf(carriableOf(held));
    if (choices.length === 0) {
      return html`<p class="notice warn" role="status">
        ${name} has no permissions of the admin API. Grant it a role first.
      </p>`;
    }
    return {
      name: 'permissions',
      label: 'Permissions',
      type: 'toggles',
      hint: 'Limited to the permissions of the principal. config:write is full control: it can grant roles and set passwords.',
      choices,
    };
  },
  create: (draft, { name: principal, held }, told) => {
    const read = tokenBody(draft, { held, ...told });
    if ('wrong' in read) return read;
    const { body } = read;
    const { name, permissions, expires_at } = body;
    const after = { name, principal, permissions, expires_at };
    return { name, after, run: calling('POST', '/admin/tokens', { body }) };
  },
  shownOnce: async ({ id, name, token }) => {
    const origin = new URL(apiBase, globalThis.location.href).href.replace(/\/$/, '');
    const use = { origin, token };
    return {
      id,
      name,
      secret: token,
      uses: [
        { heading: 'First request', label: 'curl', text: sessionCurl(use) },
        { heading: 'gw change', label: 'environment', text: changeEnvironment(use) },
      ],
    };
  },
});
