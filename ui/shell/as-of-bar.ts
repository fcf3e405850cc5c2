// The bar above every screen while a past version is shown: the version, its author, links to its neighbors and the way back.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, text } from '../elements/element.ts';
import { listCommands } from '../api/history.ts';
import { listVersions } from '../api/snapshots.ts';
import type { SnapshotVersion } from '../api/snapshots.ts';
import '../elements/icon.ts';
import { refocus } from '../elements/overlay/refocus.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/time.ts';
import { momentWords } from '../lib/history/history.ts';
import { changeQuery, linkTo } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';

const commandsAsked = 100;

/** Null where there is none. */
type Held = Readonly<{
  row: SnapshotVersion | null;
  earlier: number | null;
  later: number | null;
}>;

async function load(moment: string, signal: AbortSignal): Promise<Held> {
  const { body } = await listVersions({ ...upTo(moment), limit: 1 }, signal);
  const [row = null] = body;
  const version = row?.version ?? 0;
  const { body: next } = await listCommands(
    { order: 'asc', after: version, limit: commandsAsked },
    signal,
  );
  return {
    row,
    earlier: row?.made_by?.version_before || null,
    later: next.find((one) => one.version_after > version)?.version_after ?? null,
  };
}

/** The range of the server excludes its ends. */
const upTo = (moment: string) =>
  /^\d+$/.test(moment)
    ? { before: Number(moment) + 1 }
    : { to: new Date(Date.parse(moment) + 1).toISOString() };

class GwAsOfBar extends element({
  /** The value in the URL. */
  moment: text(),
  /** The current screen has no past versions. */
  present: flag(),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-1) var(--space-2);
        padding: 0.375rem var(--space-6);
        border-bottom: 1px solid var(--line);
        background: var(--warn-soft);
        color: var(--warn);
      }

      gw-icon {
        flex: none;
      }

      .words {
        flex: 1 1 18rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }

      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-1);
      }

      @media (max-width: 900px) {
        :host {
          padding-inline: var(--space-3);
        }
      }
    `,
  ];
  readonly #held = new Resource(this, (signal) => load(this.moment, signal));

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('moment') !== undefined) void this.#held.reload();
  }

  protected override render() {
    const { value: held, failure } = this.#held;
    return html`<gw-icon name="clock"></gw-icon>
      <p class="words">
        ${
          failure === null
            ? html`<strong role="status">As of ${this.#words(held?.row ?? null)}</strong
                >${this.#made(held?.row ?? null)}. ${this.#meaning()}`
            : failure.message
        }
      </p>
      <div class="ways">
        ${this.#step('chevron-left', 'Previous version', held?.earlier ?? null)}
        ${this.#step('chevron-right', 'Next version', held?.later ?? null)}
        <a
          class="button"
          href=${linkTo({ screen: 'history', rest: ['diff'], query: { from: this.moment } })}
          >Compare with current</a
        >
        <button type="button" @click=${this.#leave}>Back to current</button>
      </div>`;
  }

  /** A position is a version only if its event published one. */
  #words(row: SnapshotVersion | null): string {
    const isPosition = /^\d+$/.test(this.moment);
    return row === null || !isPosition || String(row.version) === this.moment
      ? momentWords(this.moment)
      : `position ${this.moment}`;
  }

  #meaning(): string {
    return this.present
      ? 'This screen shows current data. Metrics and the log have no past versions.'
      : 'Read-only.';
  }

  #made(row: SnapshotVersion | null) {
    if (row === null) return nothing;
    const { made_by: made, version, created_at: at } = row;
    const isSame = String(version) === this.moment;
    return html`${isSame ? '' : html`, version ${version}`}, created
      <gw-time at=${at}></gw-time
      >${made === null ? '' : html` by ${made.actor_name ?? made.actor_kind}`}${
        made?.reason ? html`: ${made.reason}` : ''
      }`;
  }

  /** The focused element disappears with the bar. */
  readonly #leave = (): void => {
    refocus();
    changeQuery({ as_of: null });
  };

  #step(icon: 'chevron-left' | 'chevron-right', label: string, version: number | null) {
    return html`<button
      type="button"
      class="icon"
      aria-label=${label}
      title=${label}
      ?disabled=${version === null}
      @click=${() => changeQuery({ as_of: String(version) })}
    >
      <gw-icon name=${icon}></gw-icon>
    </button>`;
  }
}

customElements.define('gw-as-of-bar', GwAsOfBar);
