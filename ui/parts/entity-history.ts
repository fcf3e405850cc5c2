// Draws the recent changes of one record.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, count, text } from '../elements/element.ts';
import { listCommands } from '../api/history.ts';
import type { Command } from '../api/history.ts';
import '../elements/error.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/time.ts';
import { screenNamed } from '../screens.ts';
import { linkTo } from '../state/location.ts';
import { base } from '../styles/base.ts';

const shownMax = 5;

type Entity = Readonly<{ id: number; version: number }>;

/** `kind` is the kind in the log, such as `api_key`. */
export const historyOf = (kind: string, { id, version }: Entity) =>
  html`<gw-entity-history stream="${kind}-${id}" .version=${version}></gw-entity-history>`;

class GwEntityHistory extends element({
  /** `<kind>-<id>`. */
  stream: text(),
  /** The list reloads when the version of the record changes. */
  version: count<number>(),
}) {
  static override styles = [
    base,
    css`
      :host {
        margin-top: var(--space-6);
      }

      header {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2);
        min-height: var(--control);
        margin-bottom: var(--space-1);
      }

      ol {
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
      }

      li {
        border-bottom: 1px solid var(--line);
      }

      li:last-child {
        border-bottom: 0;
      }

      li a {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0 var(--space-3);
        padding: 0.375rem var(--space-3);
        border-radius: var(--radius-m);
        color: var(--text);
      }

      li a:hover {
        background: var(--hover);
        text-decoration: none;
      }

      .about {
        color: var(--text-2);
        font-size: var(--text-s);
        overflow-wrap: anywhere;
      }

      gw-time {
        color: var(--text-2);
        font-size: var(--text-s);
      }
    `,
  ];
  readonly #commands = new Resource(this, async (signal) => {
    const { body } = await listCommands({ stream: this.stream, limit: shownMax + 1 }, signal);
    return body;
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.get('stream') !== undefined || changed.get('version') !== undefined;
    if (isOther) void this.#commands.reload();
  }

  protected override render() {
    if (screenNamed('history') === undefined) return nothing;
    const { value: commands = [], failure } = this.#commands;
    const all = linkTo({ screen: 'history', query: { stream: this.stream } });
    return html`<header>
        <h3>History</h3>
        ${commands.length > shownMax ? html`<a href=${all}>Show all</a>` : nothing}
      </header>
      <gw-error .failure=${failure}></gw-error>
      ${
        commands.length === 0
          ? nothing
          : html`<ol>
              ${commands.slice(0, shownMax).map((one) => this.#command(one))}
            </ol>`
      }`;
  }

  #command({ id, at, summary, actor_name, actor_kind, reason }: Command) {
    const who = actor_name ?? actor_kind;
    return html`<li>
      <a href=${linkTo({ screen: 'history', rest: [id] })}
        ><span>${summary}</span><gw-time at=${at}></gw-time>
        <span class="about">${who}${reason === null ? '' : `: ${reason}`}</span></a
      >
    </li>`;
  }
}

customElements.define('gw-entity-history', GwEntityHistory);
