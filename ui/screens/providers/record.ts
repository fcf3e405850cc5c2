// One provider: what is known of it, how it is, and what it serves.

import { html, nothing } from 'lit';

import { element, given } from '../../elements/element.ts';
import type { Provider } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/time.ts';
import { formatCount } from '../../lib/text/format.ts';
import { providerState } from '../../lib/providers/provider-state.ts';
import { factRow } from '../../parts/facts.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

class GwProviderRecord extends element({
  provider: given<Provider>(),
}) {
  static override styles = [base, record];

  protected override render() {
    const { provider } = this;
    const { tone, word } = providerState(provider, Date.now());
    return html`${
        provider.degraded_reason === null
          ? nothing
          : html`<p class="notice warn">
              Degraded since <gw-time at=${provider.degraded_since ?? ''}></gw-time>:
              ${provider.degraded_reason}
            </p>`
      }
      <dl>
        <dt>State</dt>
        <dd><gw-badge tone=${tone}>${word}</gw-badge></dd>
        <dt>Id</dt>
        <dd>${provider.id}<gw-copy text=${String(provider.id)} label="id"></gw-copy></dd>
        <dt>Address</dt>
        <dd>
          <code>${provider.api_base}</code
          ><gw-copy text=${provider.api_base} label="address"></gw-copy>
        </dd>
        <dt>Protocol</dt>
        <dd>${provider.protocol}</dd>
        <dt>Kind</dt>
        <dd>
          ${provider.kind}${provider.catalogue_key === null ? '' : `, ${provider.catalogue_key}`}
        </dd>
        <dt>Credential</dt>
        <dd>
          ${provider.has_upstream_api_key ? `set, ${provider.credential_kind}` : 'none'}, sent as
          <code>${provider.auth_header}: ${provider.auth_scheme ?? ''} …</code>
        </dd>
        <dt>Models</dt>
        <dd>
          ${
            provider.model_count === 0
              ? 'none yet'
              : html`<a
                  href=${linkTo({ screen: 'models', query: { provider: String(provider.id) } })}
                  >${formatCount(provider.model_count, 'model')}</a
                >`
          }
        </dd>
        ${factRow(usageFact({ grouping: 'provider', name: provider.name, hasCharts: true }))}
        ${provider.kind === 'dynamic' ? this.#lease() : nothing}
        <dt>Last seen</dt>
        <dd><gw-time at=${provider.last_seen_at ?? ''}></gw-time></dd>
      </dl>`;
  }

  #lease() {
    const { node, engine, lease_expires_at } = this.provider;
    return html`<dt>Node</dt>
      <dd>${node ?? 'not said'}</dd>
      <dt>Engine</dt>
      <dd>${engine ?? 'not said'}</dd>
      <dt>Lease ends</dt>
      <dd><gw-time at=${lease_expires_at ?? ''}></gw-time></dd>`;
  }
}

customElements.define('gw-provider-record', GwProviderRecord);
