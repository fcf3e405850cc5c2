// Draws the differences between two configurations, record by record. Long lists are drawn in parts.

import { css, html, nothing } from 'lit';

import { element, count, flag, given, state, text } from '../elements/element.ts';
import type { Difference } from '../api/snapshots.ts';
import '../elements/badge.ts';
import type { Tone } from '../elements/badge.ts';
import '../elements/diff.ts';
import { groupTitle, groupsOf } from '../lib/history/difference-groups.ts';
import type { Group } from '../lib/history/difference-groups.ts';
import { formatCount, formatNumber } from '../lib/text/format.ts';
import { changesOfDifference, kindLabel, placeOfStream } from '../lib/history/history.ts';
import { screenNamed } from '../screens.ts';
import { linkTo } from '../state/location.ts';
import { base, buttons, controls } from '../styles/base.ts';

const shownAtOnce = 25;

const tones: Readonly<Record<Difference['change'], Tone>> = {
  created: 'good',
  changed: 'info',
  deleted: 'bad',
};

const streamOf = ({ kind, id }: Difference): string => `${kind}-${id}`;

class GwDifferences extends element({
  differences: given<readonly Difference[]>([]),
  /** Set if only the first differences are given. */
  total: count<number>(0),
  /** Null offers no ticks. Changes dispatch `gw-tick`. */
  ticked: given<ReadonlySet<string> | null>(null),
  /** A page with the whole list. */
  whole: text(''),
  /** More differences can be loaded: `gw-more` asks for them. */
  growing: flag(),
  /** The level of the headings of records. */
  level: count<3 | 4>(4),
  shown: state<number>(shownAtOnce),
  opened: state<ReadonlySet<string>>(),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      ol {
        display: grid;
        gap: var(--space-3);
      }

      li {
        min-width: 0;
      }

      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        margin-bottom: var(--space-1);
      }

      h3,
      h4 {
        margin: 0;
        font-size: var(--text-m);
        font-weight: 500;
        overflow-wrap: anywhere;
      }

      .more {
        margin-top: var(--space-3);
      }

      details summary {
        width: fit-content;
        color: var(--text-2);
        font-size: var(--text-s);
        cursor: pointer;
      }

      .group > summary {
        color: var(--text);
        font-size: var(--text-m);
        font-weight: 500;
      }

      .group > ol {
        margin-top: var(--space-3);
        padding-left: var(--space-4);
      }

      details gw-diff {
        margin-top: var(--space-1);
      }
    `,
  ];

  constructor() {
    super();
    this.opened = new Set();
  }

  protected override render() {
    const { differences, shown } = this;
    if (differences.length === 0) return html`<p class="quiet">No differences.</p>`;
    const beyond = this.total - differences.length;
    const groups = groupsOf(differences);
    return html`<ol>
        ${groups.slice(0, shown).map((group) => this.#group(group))}
      </ol>
      ${
        groups.length > shown
          ? html`<button type="button" class="more" @click=${this.#onMore}>
              Show more of ${formatCount(differences.length, 'record')}
            </button>`
          : beyond > 0
            ? this.#beyond(beyond)
            : nothing
      }`;
  }

  #beyond(count: number) {
    if (this.whole !== '') {
      return html`<p class="more">
        <a href=${this.whole}>Show ${formatNumber(count)} more</a>
      </p>`;
    }
    if (!this.growing) {
      return html`<p class="more quiet">${formatNumber(count)} more not listed.</p>`;
    }
    return html`<button
      type="button"
      class="more"
      @click=${() => this.dispatchEvent(new CustomEvent('gw-more'))}
    >
      Load more (${formatNumber(count)} left)
    </button>`;
  }

  /** The members are drawn once the group is expanded. */
  #group(group: Group<Difference>) {
    const { key, members } = group;
    const [only] = members;
    if (members.length === 1 && only !== undefined) return this.#difference(only);
    return html`<li>
      <details class="group" @toggle=${(event: Event) => this.#toggleGroup(event, key)}>
        <summary>${groupTitle(group)}</summary>
        ${
          this.opened.has(key)
            ? html`<ol>
                ${members.map((one) => this.#difference(one))}
              </ol>`
            : nothing
        }
      </details>
    </li>`;
  }

  #toggleGroup({ currentTarget }: Event, key: string): void {
    if (!(currentTarget instanceof HTMLDetailsElement) || !currentTarget.open) return;
    this.opened = new Set([...this.opened, key]);
  }

  #difference(one: Difference) {
    const stream = streamOf(one);
    const place = one.change === 'deleted' ? null : placeOfStream(stream);
    const name = one.name ?? `${kindLabel(one.kind)} ${one.id}`;
    const isLinked = place !== null && screenNamed(place.screen) !== undefined;
    const title = isLinked ? html`<a href=${linkTo(place)}>${name}</a>` : name;
    return html`<li>
      <header>
        ${
          this.ticked === null
            ? nothing
            : html`<input
                type="checkbox"
                aria-label="Select ${name}"
                .checked=${this.ticked.has(stream)}
                @change=${() => this.#toggle(stream)}
              />`
        }
        <gw-badge tone=${tones[one.change]}>${one.change}</gw-badge>
        ${this.level === 3 ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`}
        <span class="quiet">${kindLabel(one.kind)}, <code>${stream}</code></span>
      </header>
      ${this.#fields(one)}
    </li>`;
  }

  /** Created and deleted records are collapsed, because all of their fields changed. */
  #fields(one: Difference) {
    const changes = changesOfDifference(one);
    if (changes.length === 0) return nothing;
    const diff = html`<gw-diff .changes=${changes}></gw-diff>`;
    if (one.change === 'changed') return diff;
    return html`<details>
      <summary>${formatCount(changes.length, 'field')}</summary>
      ${diff}
    </details>`;
  }

  #toggle(stream: string): void {
    const detail = new Set(this.ticked ?? []).symmetricDifference(new Set([stream]));
    this.dispatchEvent(new CustomEvent('gw-tick', { detail }));
  }

  readonly #onMore = (): void => {
    this.shown += 4 * shownAtOnce;
  };
}

customElements.define('gw-differences', GwDifferences);
