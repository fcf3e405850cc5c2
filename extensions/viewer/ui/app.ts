// The viewer of an export: what was found of it, and the screens of the history over what of it holds.

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
  { value: 'changes', label: 'Changes', about: 'Who changed what, when and why.' },
  { value: 'versions', label: 'Versions', about: 'The configurations that proxies were given.' },
  { value: 'diff', label: 'Compare', about: 'What lies between two configurations.' },
  {
    value: 'configuration',
    label: 'Configuration',
    about: 'All that was configured, at any version, position or time.',
  },
  {
    value: 'events',
    label: 'Events',
    about: 'The log itself, event by event, with the hashes that chain them.',
  },
  {
    value: 'access',
    label: 'Access review',
    about: 'Who could call which model at any moment, and by which grants.',
  },
  { value: 'log', label: 'Integrity', about: 'What was verified, and what does not hold.' },
];

const [changes] = sections;

/** Links of the screens go to places of the management UI; those of configuration are one section here. */
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
          title="Time zone of all times"
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
      <button type="button" @click=${this.#onAnother}>Open another</button>`;
  }

  #shown(now: Reading) {
    switch (now.status) {
      case 'none':
        return html`<gw-page class="narrow" heading="Read a log without its server">
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
          ${formatNumber(position)} events hold so far, ${percent} % of the file
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
        label="Parts of the export"
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
              >${events} and
              ${signed}${pack === null ? '' : `, ${formatCount(pack.files, 'file')}`}: all hold,
              computed in this browser. <a href=${integrity}>What was verified</a></span
            >
          </p>`
        : html`<p class="notice bad verdict" role="alert">
            <gw-icon name="circle-alert"></gw-icon>
            <span
              >${finding === null ? '' : html`<strong>Position ${finding.position}</strong>: `}${problem}.
              ${finding === null ? '' : `What is shown ends at position ${position}.`}
              <a href=${integrity}>Look at it</a></span
            >
          </p>`
    }
    ${
      isFromStart
        ? nothing
        : html`<p class="notice">
            This begins at position ${from}: its changes and events are here. What was configured,
            and who could call what, is told by an export from the first event on.
          </p>`
    }
    ${
      unread === null
        ? nothing
        : html`<p class="notice warn">
            Position ${unread.position} is by a newer gw than this viewer: from there on it shows
            changes and events, and no configuration.
          </p>`
    }`;
  }

  #section({ value }: Section, summary: Summary) {
    if (value === 'log') {
      return html`<gw-viewer-integrity .summary=${summary}></gw-viewer-integrity>`;
    }
    // One of the names above, not what stands in the address.
    const tag = unsafeStatic(`gw-history-${value}`);
    return staticHtml`<${tag}></${tag}>`;
  }

  /** A section keeps nothing of the view of another one. */
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
