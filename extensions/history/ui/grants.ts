// Shows the grants by which a principal can call a model: the roles, the permissions, who granted them and when.

import { css, html } from 'lit';

import { element, given } from '../../../ui/elements/element.ts';
import type { Access } from './access-rows.ts';
import '../../../ui/elements/time.ts';
import { grantorOf } from './access-words.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { base } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';

type Granted = Access['via'][number]['role_granted'];

class GwHistoryGrants extends element({
  access: given<Access>(),
}) {
  static override styles = [
    base,
    record,
    css`
      .keys {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }
    `,
  ];

  protected override render() {
    const { access } = this;
    return html`<dl>
        <dt>Principal</dt>
        <dd>
          <a href=${linkTo({ screen: 'principals', rest: [access.principal_id] })}
            >${access.principal}</a
          >
        </dd>
        <dt>Model</dt>
        <dd>
          <a href=${linkTo({ screen: 'models', rest: [access.model_id] })}>${access.model}</a>
        </dd>
        <dt>Active keys</dt>
        <dd class="keys">
          ${
            access.keys.length === 0
              ? html`<span class="quiet">None. The principal cannot send requests</span>`
              : access.keys.map(
                  (id) => html`<a href=${linkTo({ screen: 'keys', rest: [id] })}>key ${id}</a>`,
                )
          }
        </dd>
      </dl>
      ${access.via.map((way) => this.#way(way))}`;
  }

  #way(way: Access['via'][number]) {
    return html`<div class="section">
        <h3>Role <a href=${linkTo({ screen: 'roles', rest: [way.role_id] })}>${way.role}</a></h3>
      </div>
      <dl>
        <dt>Permission</dt>
        <dd><code>model:invoke ${way.resource}</code></dd>
        <dt>Role granted</dt>
        <dd>${this.#granted(way.role_granted)}</dd>
        <dt>Permission granted</dt>
        <dd>${this.#granted(way.permission_granted)}</dd>
      </dl>`;
  }

  #granted(granted: Granted) {
    if (granted === null) return html`<span class="quiet">${grantorOf(granted)}</span>`;
    return html`by ${grantorOf(granted)}, <gw-time at=${granted.at}></gw-time>,
      <a href=${linkTo({ screen: 'history', rest: ['events', granted.position] })}
        >event ${granted.position}</a
      >`;
  }
}

customElements.define('gw-history-grants', GwHistoryGrants);
