// The command palette (Ctrl/⌘ K): finds screens, actions and records. A combobox: the list follows the text, arrow keys move in it.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, state } from '../elements/element.ts';
import '../elements/overlay/dialog.ts';
import '../elements/icon.ts';
import type { IconName } from '../icons.ts';
import { actionsFor, pageCommandsFor, groupsOf } from '../lib/page/palette.ts';
import type { Action, PageCommand, Group } from '../lib/page/palette.ts';
import { screenNamed, screensFor } from '../screens.ts';
import { findEntities } from '../state/found.ts';
import type { Found } from '../state/found.ts';
import { asOf, isReadOnly } from '../state/as-of.ts';
import { linkTo, navigate } from '../state/location.ts';
import { theme, zone } from '../state/preferences.ts';
import { may } from '../state/session.ts';
import { base, controls } from '../styles/base.ts';

type Entry = Readonly<{
  icon: IconName;
  name: string;
  kind: string;
  text: string;
  /** Set for entries that lead nowhere. */
  target: Action['target'] | PageCommand;
}>;

const entryOf = ({ name, about, target }: Action): Entry => ({
  icon: screenNamed(target.screen)?.icon ?? 'circle-dashed',
  name,
  kind: 'Action',
  text: `${name} ${about}`,
  target,
});

/** Dispatches `gw-command` with an action of this page. */
class GwPalette extends element({
  open: flag(),
  isManaged: flag(),
  typed: state(''),
  at: state(0),
  found: state<readonly Found[]>([]),
}) {
  static override styles = [
    base,
    controls,
    css`
      input {
        height: 2.375rem;
        font-size: var(--text-l) !important;
      }

      ul {
        max-height: 24rem;
        margin-top: var(--space-2);
        overflow-y: auto;
      }

      a {
        display: flex;
        align-items: center;
        gap: var(--space-2);
        height: 2.125rem;
        padding: 0 var(--space-2);
        border-radius: var(--radius-m);
        color: var(--text);
        text-decoration: none;
        cursor: pointer;
      }

      a:hover {
        text-decoration: none;
      }

      a gw-icon {
        color: var(--text-2);
      }

      .at {
        background: var(--accent-soft);
      }

      .name {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      .kind {
        margin-left: auto;
        color: var(--text-2);
        font-size: var(--text-s);
        white-space: nowrap;
      }

      h3 {
        padding: var(--space-2) var(--space-2) 0;
        color: var(--text-3);
        font-size: var(--text-s);
        font-weight: 500;
      }

      ul ul {
        max-height: none;
        margin: 0;
      }

      p.more {
        padding: 0 var(--space-2) var(--space-1);
        font-size: var(--text-s);
        text-align: start;
      }

      p.more a {
        display: inline;
        padding: 0;
        color: var(--accent);
      }

      p {
        padding: var(--space-4);
        color: var(--text-2);
        text-align: center;
      }
    `,
  ];
  #asking: AbortController | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('open')) return;
    this.#asking?.abort();
    if (!this.open) return;
    this.typed = '';
    this.at = 0;
    void this.#ask();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('open') || !this.open) return;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => this.renderRoot.querySelector('input')?.focus()),
    );
  }

  async #ask(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const found = await findEntities(asking.signal);
    if (!asking.signal.aborted) this.found = found;
  }

  #groups(): readonly Group<Entry>[] {
    const moment = asOf();
    const query = moment === null ? {} : { as_of: moment };
    const { numbered, standing } = actionsFor(this.typed, {
      // Past versions offer no actions.
      may: (permission) => may(permission) && !isReadOnly(),
      has: (name) => screenNamed(name) !== undefined,
    });
    const offered: readonly Entry[] = [
      ...screensFor(may)
        .filter(({ managed }) => managed !== true || this.isManaged)
        .map(({ icon, title, name }) => ({
          icon,
          name: title,
          kind: 'Screen',
          text: title,
          target: { screen: name, rest: [], query },
        })),
      ...standing.map(entryOf),
      ...pageCommandsFor({ theme: theme.get(), zone: zone.get(), isPast: moment !== null }).map(
        ({ name, about, pageCommand }): Entry => ({
          icon: 'settings',
          name,
          kind: 'Action',
          text: `${name} ${about}`,
          target: pageCommand,
        }),
      ),
      ...this.found.flatMap(({ kind, name, screen, rest, also }) => {
        const icon = screenNamed(screen)?.icon;
        const target = { screen, rest, query };
        return icon === undefined
          ? []
          : [{ icon, name, kind, text: `${name} ${also} ${kind} ${rest.at(-1)}`, target }];
      }),
    ];
    const named = { heading: 'Version or event', entries: numbered.map(entryOf), more: 0 };
    return [...(numbered.length === 0 ? [] : [named]), ...groupsOf(offered, this.typed)];
  }

  protected override render() {
    const groups = this.#groups();
    const entries = groups.flatMap((group) => group.entries);
    const active = entries.length === 0 ? nothing : `entry-${this.at}`;
    return html`<gw-dialog heading="Find anything" ?open=${this.open} @gw-close=${this.#close}>
      <input
        type="text"
        role="combobox"
        aria-label="Screen, action or record"
        aria-expanded="true"
        aria-controls="entries"
        aria-activedescendant=${active}
        placeholder="Search screens, actions and records"
        autocomplete="off"
        spellcheck="false"
        .value=${this.typed}
        @input=${this.#onInput}
        @keydown=${(event: KeyboardEvent) => this.#onKey(event, entries)}
      />
      <ul id="entries" role="listbox" aria-label="Results">
        ${groups.map((group) => this.#group(group, entries))}
      </ul>
      ${entries.length === 0 ? html`<p>No matches</p>` : nothing}
    </gw-dialog>`;
  }

  #group({ heading, entries, more }: Group<Entry>, all: readonly Entry[]) {
    const [first] = entries;
    const screen =
      first === undefined || typeof first.target === 'string' ? null : first.target.screen;
    return html`<li role="presentation">
      <h3 id="heading-${heading.replaceAll(' ', '-')}">${heading}</h3>
      <ul role="group" aria-labelledby="heading-${heading.replaceAll(' ', '-')}">
        ${entries.map((entry) => this.#entry(entry, all.indexOf(entry)))}
      </ul>
      ${
        more === 0
          ? nothing
          : html`<p class="more">
              ${
                screen === null || heading === 'Screens' || heading === 'Actions'
                  ? `${more} more`
                  : html`<a href=${linkTo({ screen, rest: [] })} @click=${this.#close}
                      >${more} more. Show all</a
                    >`
              }
            </p>`
      }
    </li>`;
  }

  #entry({ icon, name, kind, target }: Entry, index: number) {
    const isAt = index === this.at;
    return html`<li
      id="entry-${index}"
      role="option"
      aria-selected=${isAt ? 'true' : 'false'}
      @mousemove=${() => {
        this.at = index;
      }}
    >
      <a
        class=${isAt ? 'at' : ''}
        tabindex="-1"
        href=${typeof target === 'string' ? nothing : linkTo(target)}
        @click=${() => (typeof target === 'string' ? this.#do(target) : this.#close())}
        ><gw-icon name=${icon}></gw-icon><span class="name">${name}</span
        ><span class="kind">${kind}</span></a
      >
    </li>`;
  }

  readonly #onInput = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    this.typed = target.value;
    this.at = 0;
  };

  #onKey(event: KeyboardEvent, entries: readonly Entry[]): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      this.at = Math.max(0, Math.min(entries.length - 1, this.at + step));
    }
    const entry = entries[this.at];
    if (event.key !== 'Enter' || event.isComposing || entry === undefined) return;
    event.preventDefault();
    if (typeof entry.target === 'string') this.#do(entry.target);
    else {
      this.#close();
      navigate(entry.target);
    }
  }

  #do(detail: PageCommand): void {
    this.#close();
    this.dispatchEvent(new CustomEvent('gw-command', { detail }));
  }

  readonly #close = (): void => {
    this.dispatchEvent(new CustomEvent('gw-close', { bubbles: true, composed: true }));
  };
}

customElements.define('gw-palette', GwPalette);
