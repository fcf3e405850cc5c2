// By which grants a principal may call a model: each way with the role, the permission, who granted both, when and by which event.

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
        <dt>Live keys</dt>
        <dd class="keys">
          ${
            access.keys.length === 0
              ? html`<span class="quiet">none, so it can call nothing</span>`
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
        <h3>By <a href=${linkTo({ screen: 'roles', rest: [way.role_id] })}>${way.role}</a></h3>
      </div>
      <dl>
        <dt>Permission</dt>
        <dd><code>model:invoke ${way.resource}</code></dd>
        <dt>Role held</dt>
        <dd>${this.#granted(way.role_granted)}</dd>
        <dt>Permitted</dt>
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
