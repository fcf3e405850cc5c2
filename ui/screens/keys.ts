// Defines the screen of API keys.

import { html } from 'lit';

import { call, calling, list } from '../api/http/call.ts';
import { curlOf, environmentOf, gatewayAddress, keyBody } from '../lib/access/key-draft.ts';
import { invokable } from '../lib/access/permissions.ts';
import { seen } from '../lib/saves/save.ts';
import { bearerScreen } from '../parts/bearers/bearers.ts';
import { may } from '../state/session.ts';

bearerScreen({
  screen: 'keys',
  about: 'Credentials for clients. Each belongs to one principal.',
  noun: 'API key',
  empty: {
    about:
      'Clients send an API key with each request. The roles of its principal decide which models it can invoke. gw shows a key only once.',
    body: { name: 'nightly', principal_id: 1 },
  },
  list: (signal) => list('/admin/keys', { signal }),
  mayWrite: () => may('key:create'),
  mayRevoke: () => may('key:revoke'),
  revoke: (one) => calling('DELETE', '/admin/keys/{id}', seen(one)),
  revokeCall: ({ id }) => ({ method: 'DELETE', path: `/admin/keys/${id}` }),
  revoked:
    'Requests with a revoked key fail immediately. It cannot be restored. Its record and its usage are kept.',
  hints: {
    principal: 'Roles, limits and budget come from the principal',
    name: 'Where the key is used, for example billing-nightly',
  },
  expiries: [
    { value: '30', label: 'In 30 days' },
    { value: '90', label: 'In 90 days' },
    { value: '365', label: 'In 365 days' },
    { value: 'date', label: 'At a specific time' },
    { value: 'never', label: 'Never' },
  ],
  reach: ({ name, held }) => {
    const reach = invokable(held);
    return html`<p class="notice ${reach === 'no model' ? 'warn' : ''}" role="status">
      ${name} can invoke
      ${reach}.${reach === 'no model' ? ' Grant it a role before you use the key.' : ''}
    </p>`;
  },
  create: (draft, { name: principal }, told) => {
    const body = keyBody(draft, told);
    const { name, expires_at } = body;
    const after = { name, principal, expires_at: expires_at ?? 'never' };
    return { name, after, run: calling('POST', '/admin/keys', { body }) };
  },
  shownOnce: async ({ id, name, key }) => {
    const { base, model } = await useOf().catch(() => ({ base: null, model: '' }));
    const made = { id, name, secret: key };
    if (base === null) return { ...made, uses: [], note: unknownAddress };
    const use = { base, key, model };
    return {
      ...made,
      uses: [
        { heading: 'First request', label: 'curl', text: curlOf(use) },
        { heading: 'OpenAI client', label: 'environment', text: environmentOf(use) },
      ],
    };
  },
});

const unknownAddress = html`<p class="quiet">
  The gateway address is unknown. Start the control plane with <code>--gateway-url</code> to get a
  ready-to-run command here.
</p>`;

async function useOf(): Promise<Readonly<{ base: string | null; model: string }>> {
  const [{ body: config }, [model]] = await Promise.all([
    call('GET', '/admin/config'),
    list('/admin/frontend-models'),
  ]);
  return { base: gatewayAddress(config), model: model?.name ?? 'a-frontend-model' };
}
