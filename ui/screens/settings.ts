// Defines the Settings screen: the process, the startup settings, browser preferences and operations.

import { css, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { call, calling } from '../api/http/call.ts';
import type { Config } from '../api/records.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import '../elements/badge.ts';
import '../elements/error.ts';
import '../elements/form/field.ts';
import type { FieldInput } from '../elements/form/field.ts';
import '../elements/icon.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { save as saveFile } from '../elements/table/save-file.ts';
import '../elements/table/table.ts';
import type { Column } from '../elements/table/table.ts';
import { Watch } from '../elements/watch.ts';
import { formatCount } from '../lib/text/format.ts';
import { settingText, sourceNames, supportBundle } from '../lib/text/settings.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import type { Save } from '../lib/saves/save.ts';
import { theme, zone } from '../state/preferences.ts';
import type { Theme } from '../state/preferences.ts';
import { keepView, tableView } from '../state/table-view.ts';
import './settings/facts.ts';
import './settings/text.ts';

const text = {
  heading: 'Settings',
  about: 'Startup configuration, read-only. Restart the process to change it.',
  startup: 'Startup settings',
  preferences: 'Browser preferences',
  operations: 'Operations',
  bundle: 'Support bundle',
  bundleAbout: 'Settings, health and fleet in one file, without secrets.',
  rebuild: 'Rebuild the snapshot',
  rebuildAbout: 'Publishes a new version with the current usage of budgets.',
  rebuilding:
    'gw rebuilds the snapshot and publishes it as a new version, even if the configuration is unchanged.',
  revoke: 'End all sessions',
  revoking: 'Signs out everyone, including you. Unsaved edits stay on their pages.',
};

type Setting = Config['settings'][number];

const columns: readonly Column<Setting>[] = [
  {
    id: 'name',
    label: 'Setting',
    value: ({ flag, variable }) => flag ?? variable,
    cell: ({ flag, variable }) => html`<code>${flag ?? variable}</code>`,
  },
  {
    id: 'value',
    label: 'Value',
    value: settingText,
    cell: (one) =>
      one.is_set ? settingText(one) : html`<span class="quiet">${settingText(one)}</span>`,
  },
  {
    id: 'source',
    label: 'Source',
    value: ({ source }) => sourceNames[source] ?? source,
    cell: ({ source }) =>
      html`<gw-badge tone=${source === 'default' ? 'plain' : 'info'}
        >${sourceNames[source] ?? source}</gw-badge
      >`,
  },
  {
    id: 'variable',
    label: 'Variable',
    spare: true,
    value: ({ variable }) => variable,
    cell: ({ variable }) => html`<code>${variable}</code>`,
  },
  {
    id: 'description',
    label: 'Description',
    value: ({ description }) => description,
    cell: ({ description }) => html`<gw-setting-text text=${description}></gw-setting-text>`,
  },
];

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];
const zones = [
  { value: 'utc', label: 'UTC' },
  { value: 'local', label: 'Local time' },
];

const themeNamed = (name: string): Theme => (name === 'light' || name === 'dark' ? name : 'system');

const rebuilding: Save = {
  heading: text.rebuild,
  verb: 'Rebuild',
  done: 'Snapshot rebuilt',
  before: null,
  after: null,
  run: calling('POST', '/admin/snapshot/rebuild'),
};
const anew = html`<p>${text.rebuilding}</p>`;

const revoking: Save = {
  heading: text.revoke,
  verb: text.revoke,
  done: 'All sessions ended',
  before: null,
  after: null,
  danger: true,
  name: 'all sessions',
  run: calling('POST', '/admin/sessions/revoke-all'),
};
const ending = html`<p>${text.revoking}</p>`;

class ScreenSettings extends RecordScreen {
  static override properties: PropertyDeclarations = { unbundled: { state: true } };
  static override styles = [
    RecordScreen.styles,
    css`
      h2 {
        margin: var(--space-6) 0 var(--space-2);
      }

      .choices {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 20rem));
        gap: var(--space-3);
      }

      .acts {
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
        background: var(--surface);
      }

      .acts li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-4);
        padding: var(--space-3) var(--space-4);
        border-bottom: 1px solid var(--line);
      }

      .acts li:last-child {
        border-bottom: 0;
      }

      .words {
        flex: 1 1 18rem;
      }

      gw-error {
        margin-bottom: var(--space-3);
      }
    `,
  ].flat();
  protected override readonly screen = 'settings';
  /** The failure of the last download of the support bundle. */
  declare unbundled: ApiFailure | null;
  readonly #theme = new Watch(this, theme);
  readonly #zone = new Watch(this, zone);
  readonly #config = new Resource(
    this,
    async (signal) => {
      const { body } = await call('GET', '/admin/config', { signal });
      return body;
    },
    { pollMs: 30_000 },
  );

  constructor() {
    super();
    this.unbundled = null;
  }

  protected override reload(): Promise<void> {
    return this.#config.reload();
  }

  protected override render() {
    return html`<gw-page heading=${text.heading} about=${text.about}>
        ${failureNotice(this.#config)}
        <gw-error .failure=${this.unbundled}></gw-error>
        ${loaded(
          this.#config,
          (config) => html`<gw-process-facts .config=${config}></gw-process-facts>`,
        )}
        ${this.#preferences()} ${this.#acts()} ${this.#started()}
      </gw-page>
      ${this.asking(this.save === revoking ? ending : anew)}`;
  }

  /** Last, because it is long. */
  #started() {
    const { value } = this.#config;
    return value === undefined
      ? nothing
      : html`<h2>${text.startup}</h2>
          ${this.#table(value.settings)}`;
  }

  #table(settings: readonly Setting[]) {
    return html`<gw-table
      label=${text.heading}
      noun="setting"
      .columns=${columns}
      .rows=${settings}
      .keyOf=${({ name }: Setting) => name}
      .view=${tableView()}
      ?stale=${this.#config.failure !== null}
      @gw-view=${keepView}
    ></gw-table>`;
  }

  #preferences() {
    return html`<h2>${text.preferences}</h2>
      <div class="choices">
        <gw-field
          name="theme"
          label="Theme"
          type="select"
          required
          .choices=${themes}
          .value=${this.#theme.value}
          @gw-input=${this.#onTheme}
        ></gw-field>
        <gw-field
          name="zone"
          label="Time zone"
          type="select"
          required
          .choices=${zones}
          .value=${this.#zone.value}
          @gw-input=${this.#onZone}
        ></gw-field>
      </div>`;
  }

  #acts() {
    return html`<h2>${text.operations}</h2>
      <ul class="acts">
        <li>
          <div class="words">
            <h3>${text.bundle}</h3>
            <p class="quiet">${text.bundleAbout}</p>
          </div>
          <button type="button" @click=${this.#download}>
            <gw-icon name="download"></gw-icon>Download
          </button>
        </li>
        ${
          this.isWritable()
            ? html`<li>
                  <div class="words">
                    <h3>${text.rebuild}</h3>
                    <p class="quiet">${text.rebuildAbout}</p>
                  </div>
                  <button type="button" @click=${() => this.ask(rebuilding)}>
                    <gw-icon name="refresh-cw"></gw-icon>Rebuild
                  </button>
                </li>
                <li>
                  <div class="words">
                    <h3>${text.revoke}</h3>
                    <p class="quiet">${this.#sessionsText()} Signs out everyone, including you.</p>
                  </div>
                  <button type="button" class="danger" @click=${() => this.ask(revoking)}>
                    <gw-icon name="log-out"></gw-icon>${text.revoke}
                  </button>
                </li>`
            : nothing
        }
      </ul>`;
  }

  #sessionsText(): string {
    const { value } = this.#config;
    return value === undefined ? '' : `${formatCount(value.sessions, 'active session')}.`;
  }

  readonly #onTheme = ({ detail }: CustomEvent<FieldInput>): void =>
    theme.set(themeNamed(detail.value));

  readonly #onZone = ({ detail }: CustomEvent<FieldInput>): void =>
    zone.set(detail.value === 'local' ? 'local' : 'utc');

  readonly #download = async (): Promise<void> => {
    this.unbundled = null;
    try {
      const [config, health, fleet] = await Promise.all([
        call('GET', '/admin/config'),
        call('GET', '/admin/health'),
        call('GET', '/admin/fleet'),
      ]);
      const answers = { config: config.body, health: health.body, fleet: fleet.body };
      saveFile('gw-support.json', 'application/json', supportBundle(answers, new Date()));
    } catch (error) {
      this.unbundled = asFailure(error);
    }
  };
}

customElements.define('gw-screen-settings', ScreenSettings);
