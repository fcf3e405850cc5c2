// One MCP server or agent: what is known of it, and when it was last changed.

import { LitElement, html, nothing } from 'lit';

import { listCommands } from '../../api/history.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import type { Remote } from '../../lib/providers/remote-draft.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { RemoteKind } from './kind.ts';

class GwRemoteRecord extends LitElement {
  static override properties = { kind: { attribute: false }, remote: { attribute: false } };
  static override styles = [base, record];
  declare kind: RemoteKind;
  declare remote: Remote;
  #askedOf = '';
  /** By whatever it was made: a change of its own, one among others, a restore. */
  readonly #change = new Resource(this, async (signal) => {
    this.#askedOf = this.#state();
    const stream = `${this.kind.stream}-${this.remote.id}`;
    const { body } = await listCommands({ stream, limit: 1 }, signal);
    return body[0] ?? null;
  });

  #state(): string {
    return `${this.remote.id} ${this.remote.version}`;
  }

  protected override willUpdate(): void {
    if (this.#askedOf !== '' && this.#askedOf !== this.#state()) void this.#change.reload();
  }

  protected override render() {
    const { remote, kind } = this;
    return html`<dl>
      <dt>State</dt>
      <dd>
        <gw-badge tone=${remote.enabled ? 'good' : 'plain'}
          >${remote.enabled ? 'enabled' : 'disabled'}</gw-badge
        >
      </dd>
      <dt>Address</dt>
      <dd><code>${remote.url}</code><gw-copy text=${remote.url} label="address"></gw-copy></dd>
      <dt>${kind.dialect.label}</dt>
      <dd>${kind.dialectOf(remote)}</dd>
      <dt>Description</dt>
      <dd>${remote.description ?? html`<span class="quiet">none</span>`}</dd>
      <dt>Credential</dt>
      <dd>
        ${remote.has_upstream_api_key ? 'set' : 'none'}, sent as
        <code>${remote.auth_header}: ${remote.auth_scheme ?? ''} …</code>
      </dd>
      <dt>Id</dt>
      <dd>${remote.id}<gw-copy text=${String(remote.id)} label="id"></gw-copy></dd>
      <dt>Last change</dt>
      <dd>${this.#lastChange()}</dd>
    </dl>`;
  }

  #lastChange() {
    const { value, failure } = this.#change;
    if (failure !== null) return failure.message;
    if (value === undefined) return nothing;
    if (value === null) return html`<span class="quiet">not in the log</span>`;
    const { at, summary, actor_name: name, actor_kind: kind } = value;
    return html`${summary}, <gw-time at=${at}></gw-time> by ${name ?? kind}`;
  }
}

customElements.define('gw-remote-record', GwRemoteRecord);
