// Draws one MCP server or agent and its last change.

import { html, nothing } from 'lit';

import { element, given } from '../../elements/element.ts';
import { listCommands } from '../../api/history.ts';
import '../../elements/badge.ts';
import { Resource } from '../../elements/resource.ts';
import type { Remote } from '../../lib/providers/remote-draft.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import { copied, facts, idFact, none } from '../facts.ts';

type Kind = Readonly<{ logged: string; dialect: Readonly<{ field: string; label: string }> }>;

export const dialectOf = ({ dialect }: Kind, remote: Remote): string =>
  String(Reflect.get(remote, dialect.field));

export const stateBadge = ({ enabled }: Remote) =>
  html`<gw-badge tone=${enabled ? 'good' : 'plain'}>${enabled ? 'enabled' : 'disabled'}</gw-badge>`;

class GwRemoteRecord extends element({
  kind: given<Kind>(),
  remote: given<Remote>(),
}) {
  static override styles = [base, record];
  #askedOf = '';
  /** By an edit, a change set or a restore. */
  readonly #change = new Resource(this, async (signal) => {
    this.#askedOf = this.#state();
    const stream = `${this.kind.logged}-${this.remote.id}`;
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
    const credential = html`${remote.has_upstream_api_key ? 'set' : 'none'}, sent as
      <code>${remote.auth_header}: ${remote.auth_scheme ?? ''} …</code>`;
    return facts([
      ['State', stateBadge(remote)],
      ['Address', copied(remote.url, 'address', html`<code>${remote.url}</code>`)],
      [kind.dialect.label, dialectOf(kind, remote)],
      ['Description', remote.description ?? none],
      ['Credential', credential],
      idFact(remote.id),
      ['Last change', this.#lastChange()],
    ]);
  }

  #lastChange() {
    const { value, failure } = this.#change;
    if (failure !== null) return failure.message;
    if (value === undefined) return nothing;
    if (value === null) return html`<span class="quiet">None in the log</span>`;
    const { at, summary, actor_name: name, actor_kind: kind } = value;
    return html`${summary}, <gw-time at=${at}></gw-time> by ${name ?? kind}`;
  }
}

customElements.define('gw-remote-record', GwRemoteRecord);
