// The header of every screen: search, past versions, time zone, notifications, theme and user.

import { css, html, nothing } from 'lit';

import { element, state } from '../elements/element.ts';
import { call } from '../api/http/call.ts';
import '../elements/icon.ts';
import '../elements/overlay/menu.ts';
import { Watch } from '../elements/watch.ts';
import type { IconName } from '../icons.ts';
import { momentWords } from '../lib/history/history.ts';
import { apiBase } from '../state/base.ts';
import { place } from '../state/location.ts';
import { theme, zone } from '../state/preferences.ts';
import type { Theme } from '../state/preferences.ts';
import { session } from '../state/session.ts';
import { dismissAll } from '../state/toasts.ts';
import { base, buttons } from '../styles/base.ts';
import { WaitingWork } from './waiting.ts';

const themeIcons: Readonly<Record<Theme, IconName>> = {
  system: 'monitor',
  light: 'sun',
  dark: 'moon',
};
const themeNames: Readonly<Record<Theme, string>> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
};

export class GwHeader extends element({
  asking: state(false),
  /** Null before the notifications are opened for the first time. */
  noticesOpen: state<boolean | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: var(--space-1);
        height: var(--header);
        padding: 0 var(--space-3);
        border-bottom: 1px solid var(--line);
        background: var(--ground);
      }

      .find {
        flex: 0 1 20rem;
        justify-content: flex-start;
        min-width: var(--control);
        margin-right: auto;
        border-color: var(--line);
        background: var(--surface);
        color: var(--text-2);
        font-weight: 400;
        overflow: hidden;
      }

      kbd {
        margin-left: auto;
        color: var(--text-3);
        font: inherit;
        font-size: var(--text-s);
      }

      .past {
        border-color: transparent;
        background: var(--warn-soft);
        color: var(--warn);
      }

      .narrow {
        display: none;
      }

      .bell {
        position: relative;
      }

      .waits {
        position: absolute;
        top: 0;
        right: 0;
        min-width: 1rem;
        padding: 0 0.25rem;
        border-radius: 999px;
        background: var(--accent);
        color: var(--on-accent);
        font-size: 0.625rem;
        font-weight: 600;
        line-height: 1rem;
        text-align: center;
      }

      @media (max-width: 900px) {
        .narrow {
          display: inline-flex;
        }

        .wide {
          display: none;
        }
      }

      @media (max-width: 480px) {
        :host {
          gap: 0;
          padding: 0 var(--space-2);
        }

        .roomy {
          display: none;
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #theme = new Watch(this, theme);
  readonly #zone = new Watch(this, zone);
  readonly #session = new Watch(this, session);
  readonly #waiting = new WaitingWork(this);

  protected override render() {
    const past = this.#place.value.query['as_of'] ?? null;
    const zoneName = this.#zone.value === 'utc' ? 'UTC' : 'Local';
    return html`
      <button
        type="button"
        class="plain icon narrow"
        aria-label="Menu"
        @click=${() => this.#tell('gw-menu-open')}
      >
        <gw-icon name="menu"></gw-icon>
      </button>
      <button type="button" class="find" @click=${() => this.#tell('gw-palette')}>
        <gw-icon name="search"></gw-icon><span>Find<span class="roomy"> anything</span></span
        ><kbd class="wide">Ctrl K</kbd>
      </button>
      <button
        type="button"
        class=${past === null ? 'plain' : 'past'}
        title="View a past version"
        @click=${this.askMoment}
      >
        <gw-icon name="clock"></gw-icon>
        ${past === null ? 'Now' : html`<span class="wide">As of</span> ${momentWords(past)}`}
      </button>
      <button type="button" class="plain wide" title="Time zone" @click=${this.#turnZone}>
        <gw-icon name="globe"></gw-icon>${zoneName}
      </button>
      ${this.#bell()} ${this.#help()}
      <gw-menu
        plain
        icon=${themeIcons[this.#theme.value]}
        label="Theme"
        .items=${(['system', 'light', 'dark'] as const).map((value) => ({
          value,
          label: themeNames[value],
          icon: themeIcons[value],
        }))}
        @gw-choose=${this.#onTheme}
      ></gw-menu>
      ${this.#person()}
      <gw-as-of-dialog ?open=${this.asking} @gw-close=${this.#cancel}></gw-as-of-dialog>
      ${
        this.noticesOpen === null
          ? nothing
          : html`<gw-notices
              ?open=${this.noticesOpen}
              .waiting=${this.#waiting.all}
              @gw-close=${this.#hideNotices}
            ></gw-notices>`
      }
    `;
  }

  #bell() {
    const { length } = this.#waiting.all;
    const label = length === 0 ? 'Notifications' : `Notifications, ${length} waiting for you`;
    return html`<button
      type="button"
      class="plain icon bell"
      aria-label=${label}
      title=${label}
      @click=${this.showNotices}
    >
      <gw-icon name="bell"></gw-icon>
      ${length === 0 ? nothing : html`<span class="waits">${length > 99 ? '99+' : length}</span>`}
    </button>`;
  }

  #help() {
    return html`<a
      class="button plain icon roomy"
      href="${apiBase}help/screens/${this.#place.value.screen}"
      target="_blank"
      title="Help for this screen"
    >
      <gw-icon name="info"></gw-icon>
    </a>`;
  }

  #person() {
    const now = this.#session.value;
    const name = 'you' in now ? now.you.name : '';
    return html`<gw-menu
      plain
      icon="user-round"
      label=${name}
      .items=${[
        {
          value: 'zone',
          label: this.#zone.value === 'utc' ? 'Times in local time' : 'Times in UTC',
          icon: 'globe',
        },
        { value: 'logout', label: `Sign out ${name}`, icon: 'log-out' },
      ]}
      @gw-choose=${this.#onPerson}
    ></gw-menu>`;
  }

  #tell(name: string): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true }));
  }

  readonly askMoment = async (): Promise<void> => {
    await import('./as-of-dialog.ts');
    this.asking = true;
  };

  readonly showNotices = async (): Promise<void> => {
    await import('./notices.ts');
    dismissAll();
    this.noticesOpen = true;
  };

  readonly #hideNotices = (): void => {
    dismissAll();
    this.noticesOpen = false;
  };

  readonly #cancel = (): void => {
    this.asking = false;
  };

  readonly #onTheme = ({ detail }: CustomEvent<Theme>): void => theme.set(detail);

  readonly #turnZone = (): void => zone.set(this.#zone.value === 'utc' ? 'local' : 'utc');

  readonly #onPerson = ({ detail }: CustomEvent<string>): void => {
    if (detail === 'zone') this.#turnZone();
    else void this.#logout();
  };

  readonly #logout = async (): Promise<void> => {
    await call('POST', '/logout');
    globalThis.location.reload();
  };
}

customElements.define('gw-header', GwHeader);
