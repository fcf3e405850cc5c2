// One API key or admin token: what is known about it, and when it was last used.

import { LitElement, css, html, nothing } from 'lit';

import '../elements/badge.ts';
import '../elements/copy.ts';
import '../elements/time.ts';
import { shownState } from '../lib/access/bearer.ts';
import type { Bearer } from '../lib/access/bearer.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo } from '../state/location.ts';
import { base } from '../styles/base.ts';
import { record } from '../styles/record.ts';

/** What an admin token may do; a key has no permissions of its own. */
type Shown = Bearer & Readonly<{ permissions?: readonly string[] }>;

class GwBearerRecord extends LitElement {
  static override properties = { bearer: { attribute: false } };
  static override styles = [
    base,
    record,
    css`
      .absolute {
        color: var(--text-2);
      }
    `,
  ];
  declare bearer: Shown;

  protected override render() {
    const { bearer: key } = this;
    const { label, tone } = shownState(key) ?? {};
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
      ${
        key.permissions === undefined
          ? nothing
          : html`<dt>Permissions</dt>
              <dd><code>${key.permissions.join(', ')}</code></dd>`
      }
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
    const { last_used_at: at } = this.bearer;
    if (at !== null) return this.#moment(at);
    return isReadOnly() ? 'not known for the past' : 'never';
  }
}

customElements.define('gw-bearer-record', GwBearerRecord);
