// One key: what is known of it, and when it was last used.

import { LitElement, css, html, nothing } from 'lit';

import type { ApiKey } from '../../api/keys.ts';
import { listUsageEvents } from '../../api/usage.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { formatNumber } from '../../lib/format.ts';
import { keyState, keyStates } from '../../lib/key-state.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

/** How far back in the requests of its principal a key is looked for. */
const requestsMax = 500;

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
  #askedOf: number | null = null;
  readonly #used = new Resource(this, async (signal) => {
    const { id, principal_id } = this.apiKey;
    this.#askedOf = id;
    const { body } = await listUsageEvents({ principal_id, limit: requestsMax }, signal);
    return { at: body.find(({ key_id }) => key_id === id)?.at ?? null, requests: body.length };
  });

  protected override willUpdate(): void {
    if (this.#askedOf !== null && this.#askedOf !== this.apiKey.id) void this.#used.reload();
  }

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
    const { value, failure } = this.#used;
    if (failure !== null) return failure.message;
    if (value === undefined) return nothing;
    if (value.at !== null) return this.#moment(value.at);
    if (value.requests === 0) return 'never: its principal has made no request';
    return value.requests < requestsMax
      ? 'never, as far as requests are kept'
      : `not in the last ${formatNumber(requestsMax)} requests of its principal`;
  }
}

customElements.define('gw-key-record', GwKeyRecord);

declare global {
  interface HTMLElementTagNameMap {
    'gw-key-record': GwKeyRecord;
  }
}
