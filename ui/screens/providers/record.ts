// Draws one provider: its facts, its state and its number of models.

import { html, nothing } from 'lit';

import type { Provider } from '../../api/records.ts';
import '../../elements/badge.ts';
import { providerState } from '../../lib/providers/provider-state.ts';
import { formatCount } from '../../lib/text/format.ts';
import { copied, facts, idFact } from '../../parts/facts.ts';
import type { Fact } from '../../parts/facts.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo } from '../../state/location.ts';

export function providerRecord(provider: Provider) {
  const { id, api_base, model_count, catalogue_key } = provider;
  const { tone, word } = providerState(provider, Date.now());
  const models = linkTo({ screen: 'models', query: { provider: String(id) } });
  const credential = html`${
      provider.has_upstream_api_key ? `set, ${provider.credential_kind}` : 'none'
    },
    sent as <code>${provider.auth_header}: ${provider.auth_scheme ?? ''} …</code>`;
  return html`${
    provider.degraded_reason === null
      ? nothing
      : html`<p class="notice warn">
          Degraded since <gw-time at=${provider.degraded_since ?? ''}></gw-time>:
          ${provider.degraded_reason}
        </p>`
  }
  ${facts([
    ['State', html`<gw-badge tone=${tone}>${word}</gw-badge>`],
    idFact(id),
    ['Address', copied(api_base, 'address', html`<code>${api_base}</code>`)],
    ['Protocol', provider.protocol],
    ['Kind', `${provider.kind}${catalogue_key === null ? '' : `, ${catalogue_key}`}`],
    ['Credential', credential],
    [
      'Models',
      model_count === 0 ? 'none' : html`<a href=${models}>${formatCount(model_count, 'model')}</a>`,
    ],
    usageFact({ grouping: 'provider', name: provider.name, hasCharts: true }),
    ...(provider.kind === 'dynamic' ? leaseFacts(provider) : []),
    ['Last seen', html`<gw-time at=${provider.last_seen_at ?? ''}></gw-time>`],
  ])}`;
}

const leaseFacts = ({ node, engine, lease_expires_at }: Provider): readonly Fact[] => [
  ['Node', node ?? 'unknown'],
  ['Engine', engine ?? 'unknown'],
  ['Lease ends', html`<gw-time at=${lease_expires_at ?? ''}></gw-time>`],
];
