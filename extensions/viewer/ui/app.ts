// The offline viewer: the result of the verification, and the History screens for an export.

import { LitElement, html, nothing } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';

import { asFailure } from '../../../ui/api/http/failure.ts';
import '../../../ui/elements/icon.ts';
import '../../../ui/elements/page.ts';
import '../../../ui/elements/tabs.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { formatCount, formatNumber } from '../../../ui/lib/text/format.ts';
import '../../history/ui/access.ts';
import '../../history/ui/changes.ts';
import '../../history/ui/compare.ts';
import '../../history/ui/events.ts';
import '../../history/ui/versions.ts';
import { linkTo, navigate, place } from '../../../ui/state/location.ts';
import { theme, zone } from '../../../ui/state/preferences.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';
import './configuration.ts';
import './integrity.ts';
import type { Summary } from './log/open-export.ts';
import './opening.ts';
import { closeFiles, reading } from './reading.ts';
import type { Reading } from './reading.ts';
import { viewerStyles } from './styles.ts';

type Section = Readonly<{ value: string; label: string; about: string }>;

const sections: readonly Section[] = [
  { value: 'changes', label: 'Changes', about: 'All configuration changes. Append-only.' },
  { value: 'versions', label: 'Versions', about: 'Published configurations. Compare any two.' },
  { value: 'diff', label: 'Compare', about: 'Compare versions, positions or times.' },
  {
    value: 'configuration',
    label: 'Configuration',
    about: 'The configuration at any version, position or time.',
  },
  {
    value: 'events',
    label: 'Events',
    about: 'The event log with its hash chain.',
  },
  {
    value: 'access',
    label: 'Access review',
    about: 'Who could call which model at a given time, and the grants that allowed it.',
  },
  { value: 'log', label: 'Integrity', about: 'The result of the verification.' },
];

const [changes] = sections;

/** Links to screens of the management UI open the Configuration section. */
function sectionAt(screen: string, rest: readonly string[]): Section | undefined {
  if (screen === 'overview') return changes;
  const name = screen === 'history' ? rest[0] : 'configuration';
  return sections.find(({ value }) => value === name) ?? changes;
}

class GwViewer extends LitElement {
  static override styles = [base, buttons, record, viewerStyles];
  readonly #place = new Watch(this, place);
  readonly #reading = new Watch(this, reading);
  readonly #theme = new Watch(this, theme);
  readonly #zone = new Watch(this, zone);

  protected override render() {
    const now = this.#reading.value;
    return html`<header role="banner">
        <strong>gw <span class="quiet">viewer</span></strong>
        ${this.#file(now)}
        <button
          type="button"
          class="plain wide"
          title="Time zone"
          @click=${() => zone.set(this.#zone.value === 'utc' ? 'local' : 'utc')}
        >
          <gw-icon name="globe"></gw-icon>${this.#zone.value === 'utc' ? 'UTC' : 'Local'}
        </button>
        <button type="button" class="plain icon" aria-label="Theme" @click=${this.#onTheme}>
          <gw-icon name=${this.#theme.value === 'dark' ? 'moon' : 'sun'}></gw-icon>
        </button>
      </header>
      <main>${this.#shown(now)}</main>`;
  }

  #file(now: Reading) {
    if (now.status !== 'open') return html`<span class="file"></span>`;
    return html`<span class="file quiet">${now.summary.name}</span>
      <button type="button" @click=${this.#onAnother}>Open another file</button>`;
  }

  #shown(now: Reading) {
    switch (now.status) {
      case 'none':
        return html`<gw-page class="narrow" heading="Offline log viewer">
          <gw-viewer-opening
            .failure=${now.failure === null ? null : asFailure(new Error(now.failure))}
          ></gw-viewer-opening>
        </gw-page>`;
      case 'reading':
        return this.#progress(now.progress);
      case 'open':
        return this.#history(now.summary);
    }
  }

  #progress({ what, position, done }: Extract<Reading, { status: 'reading' }>['progress']) {
    const percent = Math.floor(done * 100);
    return html`<gw-page class="narrow" heading="Verifying ${what}">
      <div class="progress">
        <progress max="100" value=${percent} aria-label="Verified"></progress>
        <p class="quiet" role="status">
          ${formatNumber(position)} events verified, ${percent} % of the file
        </p>
        <button type="button" @click=${closeFiles}>Stop</button>
      </div>
    </gw-page>`;
  }

  #history(summary: Summary) {
    const { screen, rest } = this.#place.value;
    const section = sectionAt(screen, rest);
    if (section === undefined) return nothing;
    return html`<gw-page heading=${section.label} about=${section.about}>
      ${this.#verdict(summary)}
      <gw-tabs
        label="Sections of the export"
        chosen=${section.value}
        .tabs=${sections.map(({ value, label }) => ({ value, label, href: this.#hrefOf(value) }))}
      ></gw-tabs>
      ${this.#section(section, summary)}
    </gw-page>`;
  }

  #verdict(summary: Summary) {
    const { finding, pack, from, position, checkpoints, unread, isFromStart } = summary;
    const integrity = linkTo({ screen: 'history', rest: ['log'] });
    const problem = finding?.problem ?? pack?.problem ?? null;
    const events = formatCount(Math.max(0, position - from + 1), 'event');
    const signed = formatCount(checkpoints.length, 'checkpoint');
    return html`${
      problem === null
        ? html`<p class="notice verdict">
            <gw-icon class="holds" name="circle-check"></gw-icon>
            <span
              >${events} and ${signed}${pack === null ? '' : `, ${formatCount(pack.files, 'file')}`}
              verified in this browser. No tampering found.
              <a href=${integrity}>View details</a></span
            >
          </p>`
        : html`<p class="notice bad verdict" role="alert">
            <gw-icon name="circle-alert"></gw-icon>
            <span
              >${finding === null ? '' : html`<strong>Position ${finding.position}</strong>: `}${problem}.
              ${finding === null ? '' : `Only events up to position ${position} are shown.`}
              <a href=${integrity}>View details</a></span
            >
          </p>`
    }
    ${
      isFromStart
        ? nothing
        : html`<p class="notice">
            This export starts at position ${from} and shows only changes and events. Configuration
            and access need an export from the first event.
          </p>`
    }
    ${
      unread === null
        ? nothing
        : html`<p class="notice warn">
            Position ${unread.position} was written by a newer gw than this viewer. From there on
            only changes and events are shown.
          </p>`
    }`;
  }

  #section({ value }: Section, summary: Summary) {
    if (value === 'log') {
      return html`<gw-viewer-integrity .summary=${summary}></gw-viewer-integrity>`;
    }
    // The name comes from the list above, not from the address, so it is a safe tag name.
    const tag = unsafeStatic(`gw-history-${value}`);
    return staticHtml`<${tag}></${tag}>`;
  }

  /** A link to another section drops the query. */
  #hrefOf(value: string): string {
    return linkTo({ screen: 'history', rest: value === 'changes' ? [] : [value] });
  }

  protected override updated(): void {
    const now = this.#reading.value;
    document.title = now.status === 'open' ? `${now.summary.name} · gw viewer` : 'gw viewer';
  }

  readonly #onAnother = (): void => {
    closeFiles();
    navigate({ screen: 'overview' });
  };

  readonly #onTheme = (): void => {
    const isDark = document.documentElement.dataset['theme'] === 'dark';
    theme.set(isDark ? 'light' : 'dark');
  };
}

customElements.define('gw-viewer', GwViewer);
