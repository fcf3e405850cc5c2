// One principal: what is known of it, the roles that it holds, what it may do by them, and its limits.

import { LitElement, css, html, nothing } from 'lit';

import type { Role } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/form/field.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import '../../elements/icon.ts';
import '../../elements/time.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import { moneyBar, tokensBar } from '../../parts/budget.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { Known } from './load.ts';

const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'unlimited' : `${formatNumber(value)} a minute`;

/** Tells by `gw-grant` and `gw-revoke`, with the role's name. */
class GwPrincipalRecord extends LitElement {
  static override properties = {
    principal: { attribute: false },
    roles: { attribute: false },
    writable: { type: Boolean },
    chosen: { state: true },
  };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .grant {
        display: flex;
        align-items: flex-end;
        gap: var(--space-2);
        margin-top: var(--space-2);
      }

      .grant gw-field {
        flex: 1;
      }

      .via {
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .bars {
        display: grid;
        gap: var(--space-3);
      }
    `,
  ];
  declare principal: Known;
  declare roles: readonly Role[];
  declare writable: boolean;
  /** The role to be granted. */
  declare chosen: string;

  constructor() {
    super();
    this.roles = [];
    this.writable = false;
    this.chosen = '';
  }

  protected override render() {
    const { id, kind, email, keys, name, created_at } = this.principal;
    const keysLink = linkTo({ screen: 'keys', query: { principal: String(id) } });
    return html`<dl>
        <dt>Kind</dt>
        <dd>${kind === 'user' ? 'user, a person' : 'service account, a program'}</dd>
        <dt>E-mail</dt>
        <dd>${email ?? html`<span class="quiet">none</span>`}</dd>
        ${this.#identity()}
        <dt>Id</dt>
        <dd>${id}<gw-copy text=${String(id)} label="id"></gw-copy></dd>
        <dt>Keys</dt>
        <dd>
          <a href=${keysLink}>${formatCount(keys, 'key')}</a>${
            this.writable
              ? html` · <a href=${linkTo({ screen: 'keys', rest: ['new', id] })}>create one</a>`
              : nothing
          }
        </dd>
        ${usageFact({ grouping: 'principal', name })}
        <dt>Created</dt>
        <dd><gw-time at=${created_at}></gw-time></dd>
      </dl>
      ${this.#roles()} ${this.#permissions()} ${this.#limits()}`;
  }

  /** Only where people sign on by an issuer. */
  #identity() {
    const { identity } = this.principal;
    if (identity === null) return nothing;
    return html`<dt>Signs in by</dt>
      <dd>${identity.issuer}, since <gw-time at=${identity.linked_at}></gw-time></dd>
      <dt>Subject there</dt>
      <dd>
        ${
          identity.subject === ''
            ? html`<span class="quiet">erased</span>`
            : html`${identity.subject}<gw-copy text=${identity.subject} label="subject"></gw-copy>`
        }
      </dd>`;
  }

  #roles() {
    const held = this.principal.roles;
    const others = this.roles.filter(({ name }) => !held.includes(name));
    return html`<div class="section"><h3>Roles</h3></div>
      ${
        held.length === 0
          ? html`<p class="quiet">It holds no role, so it may do nothing.</p>`
          : html`<ul class="rows">
              ${held.map((role) => this.#role(role))}
            </ul>`
      }
      ${
        this.writable && others.length > 0
          ? html`<div class="grant">
              <gw-field
                name="role"
                label="Grant a role"
                type="select"
                required
                .choices=${[
                  { value: '', label: 'Choose one' },
                  ...others.map(({ name }) => ({ value: name, label: name })),
                ]}
                .value=${this.chosen}
                @gw-input=${this.#onChoose}
              ></gw-field>
              <button
                type="button"
                ?disabled=${this.chosen === '' || held.includes(this.chosen)}
                @click=${() => this.#tell('gw-grant', this.chosen)}
              >
                Grant
              </button>
            </div>`
          : nothing
      }`;
  }

  #role(role: string) {
    const id = this.roles.find(({ name }) => name === role)?.id;
    return html`<li>
      ${
        id === undefined
          ? role
          : html`<a href=${linkTo({ screen: 'roles', rest: [id] })}>${role}</a>`
      }
      ${this.principal.group_roles.includes(role) ? html`<span class="via">by a group</span>` : nothing}
      ${
        this.writable
          ? html`<button
              type="button"
              class="plain icon end"
              aria-label="Revoke ${role}"
              title="Revoke"
              @click=${() => this.#tell('gw-revoke', role)}
            >
              <gw-icon name="x"></gw-icon>
            </button>`
          : nothing
      }
    </li>`;
  }

  #permissions() {
    const { permissions, mayInvoke } = this.principal;
    return html`<div class="section"><h3>Effective permissions</h3></div>
      <p class="notice ${mayInvoke === 'no model' ? 'warn' : ''}">Can invoke: ${mayInvoke}.</p>
      ${
        permissions.length === 0
          ? nothing
          : html`<ul class="rows" aria-label="Effective permissions">
              ${permissions.map(
                ({ verb, resource, via }) =>
                  html`<li>
                    <code>${verb}</code>
                    ${resource === '*' ? nothing : html`<code>${resource}</code>`}
                    <span class="via end">by ${via.join(', ')}</span>
                  </li>`,
              )}
            </ul>`
      }`;
  }

  #limits() {
    const { id, limits, budget } = this.principal;
    return html`<div class="section">
        <h3>Limits and budget</h3>
        <a href=${linkTo({ screen: 'limits', rest: [id] })}>${this.writable ? 'Change' : 'Show'}</a>
      </div>
      <dl>
        <dt>Requests</dt>
        <dd>${rate(limits?.requests_per_min)}</dd>
        <dt>Tokens</dt>
        <dd>${rate(limits?.tokens_per_min)}</dd>
        <dt>Budget</dt>
        <dd>
          ${
            budget === null
              ? 'unlimited'
              : html`<div class="bars">
                  ${moneyBar(budget, { stacked: true })} ${tokensBar(budget, { stacked: true })}
                </div>`
          }
        </dd>
      </dl>`;
  }

  readonly #onChoose = (event: CustomEvent<FieldInput>): void => {
    this.chosen = event.detail.value;
  };

  #tell(name: string, detail: string): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

customElements.define('gw-principal-record', GwPrincipalRecord);
