// One pool: its policy, how requests fall to its members, and which frontend models lead to it.

import { css, html, nothing } from 'lit';

import { element, given } from '../../elements/element.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import { policies, policyLabel, sharesOf } from '../../lib/routing/pool.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { PoolRow } from './columns.ts';

class GwPoolRecord extends element({
  pool: given<PoolRow>(),
}) {
  static override styles = [
    base,
    record,
    css`
      .weight {
        color: var(--text-2);
        font-variant-numeric: tabular-nums;
      }

      code + code {
        margin-left: 0.25rem;
      }
    `,
  ];

  protected override render() {
    const { id, name, description, policy } = this.pool;
    const about = policies.find(({ value }) => value === (policy ?? ''))?.about ?? '';
    return html`${description === null ? nothing : html`<p class="notice">${description}</p>`}
      <dl>
        <dt>Id</dt>
        <dd>${id}<gw-copy text=${String(id)} label="id"></gw-copy></dd>
        <dt>Name</dt>
        <dd><code>${name}</code><gw-copy text=${name} label="name"></gw-copy></dd>
        <dt>Policy</dt>
        <dd>${policyLabel(policy)} <span class="quiet">${about}</span></dd>
      </dl>
      ${this.#members()} ${this.#users()}`;
  }

  #members() {
    const { members, policy } = this.pool;
    const shares = sharesOf(members);
    return html`<div class="section"><h3>Members</h3></div>
      ${
        members.length === 0
          ? html`<p class="notice warn">It has none: a target that is this pool serves nothing.</p>`
          : html`<ul class="rows" aria-label="Members">
              ${members.map(
                ({ model, weight, provider_model_id: modelId }, index) =>
                  html`<li>
                    ${
                      modelId === null
                        ? html`${model} <gw-badge tone="warn">gone</gw-badge>`
                        : html`<a href=${linkTo({ screen: 'models', rest: [modelId] })}
                            >${model}</a
                          >`
                    }
                    <span class="weight end"
                      >${
                        weight === 0
                          ? 'weight 0, drained'
                          : `weight ${weight}${policy === null ? `, ${shares[index]} %` : ''}`
                      }</span
                    >
                  </li>`,
              )}
            </ul>`
      }`;
  }

  #users() {
    const { users } = this.pool;
    return html`<div class="section"><h3>Used by</h3></div>
      ${
        users.length === 0
          ? html`<p class="quiet">No rule and no default leads to it.</p>`
          : html`<ul class="rows" aria-label="Used by">
              ${users.map(
                ({ id, name, where }) =>
                  html`<li>
                    <a href=${linkTo({ screen: 'frontend-models', rest: [id] })}>${name}</a>
                    <span class="quiet end">${where.map((one) => html`<code>${one}</code>`)}</span>
                  </li>`,
              )}
            </ul>`
      }`;
  }
}

customElements.define('gw-pool-record', GwPoolRecord);
