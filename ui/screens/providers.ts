// Defines the screen of providers: the services that serve models.

import { css, html } from 'lit';

import { calling, list } from '../api/http/call.ts';
import type { Provider } from '../api/records.ts';
import '../elements/badge.ts';
import '../elements/time.ts';
import { providerState } from '../lib/providers/provider-state.ts';
import { deletionOf, seen } from '../lib/saves/save.ts';
import type { Save } from '../lib/saves/save.ts';
import { formatCount } from '../lib/text/format.ts';
import { resourceScreen } from '../parts/resource-screen.ts';
import { linkTo } from '../state/location.ts';
import './providers/available.ts';
import './providers/form.ts';
import { providerRecord } from './providers/record.ts';

resourceScreen<Provider, Readonly<{ rows: readonly Provider[] }>>({
  screen: 'providers',
  about: 'Upstream LLM services',
  noun: 'provider',
  add: 'Create provider',
  adding: 'Create provider',
  empty: {
    heading: 'No providers yet',
    about:
      'A provider is the service of a vendor or your own engine. gw lists its models to check the connection before it saves the provider.',
    command: 'gw import --config config.yaml',
  },
  load: async (signal) => ({ rows: await list('/admin/providers', { signal }) }),
  pollMs: 15_000,
  columns: [
    { id: 'name', label: 'Name', value: ({ name }) => name },
    {
      id: 'state',
      label: 'State',
      value: (one) => providerState(one, Date.now()).word,
      cell: (one) => {
        const { tone, word } = providerState(one, Date.now());
        return html`<gw-badge tone=${tone}>${word}</gw-badge>`;
      },
    },
    {
      id: 'api_base',
      label: 'Address',
      value: ({ api_base }) => api_base,
      cell: ({ api_base }) => html`<code>${api_base}</code>`,
    },
    { id: 'protocol', label: 'Protocol', value: ({ protocol }) => protocol },
    { id: 'kind', label: 'Kind', value: ({ kind }) => kind },
    {
      id: 'credential',
      label: 'Credential',
      value: ({ has_upstream_api_key }) => (has_upstream_api_key ? 'set' : 'none'),
    },
    { id: 'models', label: 'Models', end: true, value: ({ model_count }) => model_count },
    {
      id: 'degraded',
      label: 'Degraded since',
      value: ({ degraded_since }) => degraded_since,
      cell: ({ degraded_since: at, degraded_reason: reason }) =>
        at === null
          ? ''
          : html`<span title=${reason ?? ''}><gw-time at=${at}></gw-time>, ${reason}</span>`,
    },
    {
      id: 'last_seen',
      label: 'Last seen',
      spare: true,
      value: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at }) => html`<gw-time at=${last_seen_at ?? ''}></gw-time>`,
    },
    { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
    {
      id: 'lease',
      label: 'Lease ends',
      value: ({ lease_expires_at }) => lease_expires_at,
      cell: ({ lease_expires_at: at }) => (at === null ? '' : html`<gw-time at=${at}></gw-time>`),
    },
    { id: 'node', label: 'Node', value: ({ node }) => node },
  ],
  /** Columns without a value in any row are hidden at first. */
  spareFor: (rows) =>
    new Set([
      ...(rows.some(({ kind }) => kind === 'dynamic') ? [] : ['lease', 'node']),
      ...(rows.some(({ degraded_since }) => degraded_since !== null) ? [] : ['degraded']),
    ]),
  form: (row) => (failure) =>
    html`<gw-provider-form .row=${row} .failure=${failure}></gw-provider-form>`,
  /** Listing the models calls the provider, so it happens only on request. */
  record: (provider, at) =>
    html`${providerRecord(provider)}
      <h3 class="served">Available models</h3>
      ${
        at.rest[1] === 'models'
          ? html`<gw-available-models .provider=${provider}></gw-available-models>`
          : html`<a class="button" href=${at.link(provider.id, 'models')}>Discover models</a>`
      }`,
  deletion,
  styles: css`
    .served {
      margin: var(--space-6) 0 var(--space-2);
    }
  `,
});

async function deletion(provider: Provider): Promise<Save> {
  const { id, name } = provider;
  const models = await list('/admin/provider-models');
  const served = models.filter((one) => one.provider_id === id).map((one) => one.name);
  const run = calling('DELETE', '/admin/providers/{id}', seen(provider));
  return deletionOf({ noun: 'provider', name }, { breaks: breakage(id, served), run });
}

function breakage(id: number, served: readonly string[]) {
  if (served.length === 0) {
    return html`<p>
      No model uses this provider. Its credential is erased and cannot be restored.
    </p>`;
  }
  return html`<p>
      ${formatCount(served.length, 'model')} still ${served.length === 1 ? 'uses' : 'use'} this
      provider. Attach them to another provider or delete them first:
    </p>
    <p><code>${served.slice(0, 20).join(', ')}${served.length > 20 ? '…' : ''}</code></p>
    <p>
      <a href=${linkTo({ screen: 'models', query: { provider: String(id) } })}
        >View ${served.length === 1 ? 'model' : 'models'}</a
      >
    </p>`;
}
