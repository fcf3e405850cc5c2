// The screen of API keys, with which clients call the gateway.

import { html } from 'lit';

import { call, calling, list } from '../api/http/call.ts';
import { curlOf, environmentOf, gatewayAddress, keyBody } from '../lib/access/key-draft.ts';
import { invokable } from '../lib/access/permissions.ts';
import { seen } from '../lib/saves/save.ts';
import { bearerScreen } from '../parts/bearers/bearers.ts';
import { may } from '../state/session.ts';

bearerScreen({
  screen: 'keys',
  heading: 'API keys',
  about: 'Clients call models with them. Each belongs to one principal.',
  icon: 'key-round',
  noun: 'key',
  empty: {
    about:
      'A key says who is calling: it belongs to a principal, whose roles decide which models it reaches. It is shown once.',
    body: { name: 'nightly', principal_id: 1 },
  },
  list: (signal) => list('/admin/keys', { signal }),
  mayWrite: () => may('key:create'),
  mayRevoke: () => may('key:revoke'),
  revoke: (one) => calling('DELETE', '/admin/keys/{id}', seen(one)),
  revoked:
    'Requests with this key are refused from now on. A revoked key never works again. Its row and its usage stay.',
  hints: {
    principal: 'Roles, limits and budget come from the principal',
    name: 'Where it is used, such as billing-nightly',
  },
  expiries: [
    { value: '30', label: 'In 30 days' },
    { value: '90', label: 'In 90 days' },
    { value: '365', label: 'In a year' },
    { value: 'date', label: 'At a time that you choose' },
    { value: 'never', label: 'Never' },
  ],
  reach: ({ name, held }) => {
    const reach = invokable(held);
    return html`<p class="notice ${reach === 'no model' ? 'warn' : ''}" role="status">
      ${name} may invoke
      ${reach}${reach === 'no model' ? ': grant it a role before the key is used' : ''}.
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
  The address of the gateway is not known here. Start the control plane with
  <code>--gateway-url</code> to see a command that is ready to run.
</p>`;

/** What a first request with a new key needs to say. */
async function useOf(): Promise<Readonly<{ base: string | null; model: string }>> {
  const [{ body: config }, [model]] = await Promise.all([
    call('GET', '/admin/config'),
    list('/admin/frontend-models'),
  ]);
  return { base: gatewayAddress(config), model: model?.name ?? 'a-frontend-model' };
}
