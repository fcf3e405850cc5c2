// Previews a restore and then performs it, with a reason and the version typed. The server refuses it if the configuration changed since
// the preview.

import { html, nothing } from 'lit';

import { element, state } from '../../../ui/elements/element.ts';
import { getLogHead } from '../../../ui/api/log.ts';
import { diffSnapshots, restoreSnapshot } from '../../../ui/api/snapshots.ts';
import type { Restored } from '../../../ui/api/snapshots.ts';
import '../../../ui/elements/empty.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { formatCount } from '../../../ui/lib/text/format.ts';
import { momentWords } from '../../../ui/lib/history/history.ts';
import { readScope, scopeBody, scopeQuery, without } from './restore-scope.ts';
import type { Scope } from './restore-scope.ts';
import type { Save } from '../../../ui/lib/saves/save.ts';
import { undoneMax } from '../../../ui/lib/saves/undo.ts';
import '../../../ui/parts/differences.ts';
import '../../../ui/parts/save.ts';
import { isReadOnly } from '../../../ui/state/as-of.ts';
import { linkTo, navigate, place } from '../../../ui/state/location.ts';
import { may } from '../../../ui/state/session.ts';
import { previewOf } from '../../../ui/extension.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { panels } from '../../../ui/styles/panels.ts';
import { record } from '../../../ui/styles/record.ts';
import {
  namedWords,
  namesIn,
  restoreConflicts,
  restoreEvents,
  restoreLosses,
  restoreTiles,
} from './restore-preview.ts';
import type { Names } from './restore-preview.ts';
import { restoreStyles } from './restore-styles.ts';

/** For the names in the differences. */
const namesMax = 1_000;

type Preview = Readonly<{ would: Restored; version: number | null }>;

class HistoryRestore extends element({
  save: state<Save | null>(null),
  ticked: state<ReadonlySet<string>>(),
}) {
  static override styles = [base, buttons, record, panels, restoreStyles];
  readonly #place = new Watch(this, place);
  readonly #preview = new Resource(this, (signal) => this.#load(signal), {
    question: () => this.#asked(),
  });
  #tickedOf = '';
  /** From all previews, because a preview does not name the records that it leaves out. */
  #names: Names = new Map();

  constructor() {
    super();
    this.ticked = new Set();
  }

  #moment(): string {
    return this.#place.value.rest[1] ?? '';
  }

  #scope(): Scope {
    return readScope(this.#place.value.query);
  }

  #asked(): string {
    return JSON.stringify([this.#moment(), this.#scope()]);
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  /** Null if there is nothing to preview. */
  async #load(signal: AbortSignal): Promise<Preview | null> {
    if (this.#moment() === '' || !this.#isWritable()) return null;
    const body = { ...scopeBody(this.#scope()), dry_run: true };
    const { body: would, etag } = await restoreSnapshot(this.#moment(), body, { signal });
    await this.#learnNames(would, signal);
    const version = Number(etag?.replaceAll('"', '') ?? NaN);
    return { would, version: Number.isNaN(version) ? null : version };
  }

  async #learnNames(would: Restored, signal: AbortSignal): Promise<void> {
    this.#names = new Map([...this.#names, ...namesIn(would.diff)]);
    const named = [...would.missing, ...would.conflicts].map(({ entity }) => entity);
    const shown = [...this.#scope().streams, ...named];
    if (shown.every((stream) => this.#names.has(stream))) return;
    const { body: head } = await getLogHead(signal);
    const ends = { from: this.#moment(), to: head.position };
    const { body } = await diffSnapshots(ends, { limit: namesMax }, signal);
    this.#names = new Map([...this.#names, ...namesIn(body.differences)]);
  }

  /** Ticks belong to one preview. */
  protected override willUpdate(): void {
    const asked = this.#asked();
    if (asked !== this.#tickedOf) this.ticked = new Set();
    this.#tickedOf = asked;
  }

  protected override render() {
    if (!this.#isWritable()) {
      return html`<gw-empty heading="You cannot restore here" icon="rotate-ccw">
        <span slot="about"
          >A restore needs the permission config:write. Leave the view of a past version
          first.</span
        >
      </gw-empty>`;
    }
    if (this.#moment() === '') {
      return html`<gw-empty heading="No version selected" icon="rotate-ccw">
        <span slot="about">Choose Restore on a version or Undo on a change.</span>
        <a class="button" href=${linkTo({ screen: 'history', rest: ['versions'] })}>See versions</a>
      </gw-empty>`;
    }
    return html`${failureNotice(this.#preview)}
      ${loaded(this.#preview, (found) => (found === null ? nothing : this.#shown(found)))}
      <gw-save .save=${this.save} @gw-close=${this.#closeSave} @gw-saved=${this.#onSaved}
        >${this.#words()}</gw-save
      >`;
  }

  #shown(preview: Preview) {
    const { would } = preview;
    if (would.event_count === 0) {
      return html`${this.#head(preview)} ${this.#scopeLine()}
        <gw-empty heading="Nothing to restore" icon="circle-check">
          <span slot="about">The configuration has not changed since then.</span>
        </gw-empty>
        ${this.#refusal(would)}`;
    }
    // A comparison of versions covers all records.
    const proposal = this.#scope().kind === 'all' ? { version: this.#moment() } : null;
    const whole = linkTo({ screen: 'history', rest: ['diff'], query: { from: this.#moment() } });
    return html`${this.#head(preview)} ${this.#scopeLine()} ${restoreTiles(would)}
      ${this.#refusal(would)} ${previewOf({ proposal, known: would.what_if })}
      <div class="section"><h3>Changes</h3></div>
      <gw-differences
        .differences=${would.diff}
        .total=${would.difference_count}
        whole=${whole}
        .ticked=${this.ticked}
        @gw-tick=${this.#onTick}
      ></gw-differences>
      ${restoreEvents(would)}`;
  }

  #head(preview: Preview) {
    const { event_count: count, conflicts } = preview.would;
    const moment = momentWords(this.#moment());
    const isSome = this.#scope().kind === 'only';
    return html`<div class="head">
      <h2>${isSome ? `Restore from ${moment}` : `Restore ${moment}`}</h2>
      ${this.ticked.size === 0 ? nothing : this.#tickedLinks()}
      <button
        type="button"
        class="primary"
        ?disabled=${count === 0 || conflicts.length > 0 || this.#preview.isOld}
        @click=${() => this.#ask(preview)}
      >
        <gw-icon name="rotate-ccw"></gw-icon>Restore…
      </button>
    </div>`;
  }

  #tickedLinks() {
    const rest = without(this.#scope(), this.ticked);
    const alone = this.#linkTo({ kind: 'only', streams: [...this.ticked] });
    return html`<a class="button" href=${alone}>Only selected</a> ${
        rest === null
          ? nothing
          : html`<a class="button" href=${this.#linkTo(rest)}>All except selected</a>`
      }`;
  }

  #refusal(would: Restored) {
    const names = this.#names;
    const linkTo = (scope: Scope): string => this.#linkTo(scope);
    return html`${restoreConflicts(would, { scope: this.#scope(), names, linkTo })}
    ${restoreLosses(would, names)}`;
  }

  #linkTo(scope: Scope): string {
    const rest = ['restore', this.#moment()];
    return linkTo({ screen: 'history', rest, query: scopeQuery(scope) });
  }

  #scopeLine() {
    const { kind, streams } = this.#scope();
    if (kind === 'all') return nothing;
    const named = namedWords(streams, this.#names);
    return html`<p class="only">
      <span>${kind === 'only' ? `Only ${named}.` : `Everything except ${named}.`}</span>
      <a href=${this.#linkTo({ kind: 'all', streams: [] })}
        >Restore everything from ${momentWords(this.#moment())}</a
      >
    </p>`;
  }

  #ask({ version, would }: Preview): void {
    const moment = this.#moment();
    const scope = this.#scope();
    const whole = momentWords(moment);
    const named = namedWords(scope.streams, this.#names);
    const isSmall = scope.kind === 'only' && would.difference_count <= undoneMax;
    const done = {
      all: `Restored ${whole}`,
      only: `Restored ${named}`,
      except: `Restored ${whole} except ${named}`,
    };
    this.save = {
      heading: scope.kind === 'only' ? `Restore ${named}` : `Restore ${whole}`,
      verb: 'Restore',
      done: done[scope.kind],
      before: null,
      after: null,
      ...(isSmall ? {} : { danger: true, name: moment }),
      reasonNeeded: true,
      run: (change) =>
        restoreSnapshot(moment, scopeBody(scope), {
          ...change,
          ...(version === null ? {} : { version }),
        }),
    };
  }

  #words() {
    const would = this.#preview.value?.would;
    if (would === undefined) return nothing;
    return html`<p>
        ${formatCount(would.difference_count, 'record changes', 'records change')} in one new
        version. The current configuration remains in History and can be restored.
      </p>
      ${
        would.missing.length === 0
          ? nothing
          : html`<p>${formatCount(would.missing.length, 'part')} cannot be restored.</p>`
      }`;
  }

  readonly #onTick = ({ detail }: CustomEvent<ReadonlySet<string>>): void => {
    this.ticked = detail;
  };

  readonly #closeSave = (): void => {
    this.save = null;
  };

  readonly #onSaved = (): void => {
    this.save = null;
    navigate({ screen: 'history' });
  };
}

customElements.define('gw-history-restore', HistoryRestore);
