// One key: what is known of it, and when it was last used.

import { LitElement, css, html } from 'lit';

import type { ApiKey } from '../../api/keys.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/time.ts';
import { keyState, keyStates } from '../../lib/key-state.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

export class GwKeyRecord extends LitElement {
  static override properties = { apiKey: { attribute: false } };
  static override styles = [
    base,
    record,
    css`
      .absolute {
        color: var(--text-2);
      }
    `,
  ];
  declare apiKey: ApiKey;

  protected override render() {
    const { apiKey: key } = this;
    const state = keyState(key, Date.now());
    const { label, tone } = keyStates.find(({ value }) => value === state) ?? {};
    return html`<dl>
      <dt>State</dt>
      <dd><gw-badge tone=${tone ?? 'plain'}>${label}</gw-badge></dd>
      <dt>Prefix</dt>
      <dd><code>${key.prefix}…</code><gw-copy text=${key.prefix} label="prefix"></gw-copy></dd>
      <dt>Id</dt>
      <dd>${key.id}<gw-copy text=${String(key.id)} label="id"></gw-copy></dd>
      <dt>Principal</dt>
      <dd>
        <a href=${linkTo({ screen: 'principals', rest: [key.principal_id] })}>${key.principal}</a>
      </dd>
      <dt>Expires</dt>
      <dd>${key.expires_at === null ? 'never' : this.#moment(key.expires_at)}</dd>
      <dt>Created</dt>
      <dd>${this.#moment(key.created_at)}</dd>
      <dt>Last used</dt>
      <dd>${this.#lastUsed()}</dd>
    </dl>`;
  }

  #moment(at: string) {
    return html`<gw-time at=${at}></gw-time>
      <span class="absolute">· <gw-time absolute at=${at}></gw-time></span>`;
  }

  #lastUsed() {
    const { last_used_at: at } = this.apiKey;
    if (at !== null) return this.#moment(at);
    return isReadOnly() ? 'not known of the past' : 'never';
  }
}

customElements.define('gw-key-record', GwKeyRecord);

declare global {
  interface HTMLElementTagNameMap {
    'gw-key-record': GwKeyRecord;
  }
}
