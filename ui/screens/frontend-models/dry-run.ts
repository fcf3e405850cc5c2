// Evaluates a request against the rules without sending it: with the published rules and with
// unsaved changes. Recorded requests can be replayed. The address stores the question.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state, text } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import type { UsageEvent } from '../../api/records.ts';
import type { Prepared } from '../../api/http/call.ts';
import { asFailure, wrongField } from '../../api/http/failure.ts';
import type { ApiFailure } from '../../api/http/failure.ts';
import { listSnapshots } from '../../api/snapshots.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/error.ts';
import type { FieldInput, GwField } from '../../elements/form/field.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import {
  askedOf,
  callerOf,
  caveatsOf,
  readQuestion,
  replayOf,
  writeQuestion,
} from '../../lib/routing/dry-run.ts';
import type { QuestionDraft } from '../../lib/routing/dry-run.ts';
import { formRows } from '../../parts/form-rows.ts';
import { asOf } from '../../state/as-of.ts';
import { changeQuery, place } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { answerOf } from './answer.ts';
import { moreRows, questionRows, replayRow } from './dry-run-rows.ts';
import type { Shown } from './dry-run-rows.ts';
import { dryRunStyles } from './dry-run-styles.ts';
import type { Named } from './rule-rows.ts';
import { tryRoute } from './try.ts';
import type { Tried } from './try.ts';

const replayedMax = 20;
const versionsMax = 20;
const waitMs = 250;

/** Dispatches `gw-answer` with the answer for the rules, or null. */
class GwDryRun extends element({
  model: text(),
  principals: given<readonly Named[]>([]),
  classes: given<readonly string[]>([]),
  /** Proposed calls that are not saved. */
  proposal: given<readonly Prepared[]>([]),
  /** Changes whenever the published rules change. */
  published: given<unknown>(null),
  draft: state<QuestionDraft>(readQuestion(place.get().query)),
  /** The typed name of a caller that does not exist; empty if it exists. */
  unknownCaller: state(''),
  tried: state<Tried | null>(null),
  failure: state<ApiFailure | null>(null),
  recorded: state<UsageEvent | null>(null),
}) {
  static override styles = [base, buttons, dryRunStyles];
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #replayed = '';
  readonly #requests = new Resource(this, async (signal) => {
    const query = { virtual_model: this.model, limit: replayedMax };
    const { body } = await call('GET', '/admin/usage/events', { query, signal });
    return body;
  });
  readonly #versions = new Resource(this, async (signal) => {
    const { body } = await listSnapshots(versionsMax, signal);
    return body;
  });

  override connectedCallback(): void {
    super.connectedCallback();
    const id = place.get().query['replay'];
    if (id !== undefined) void this.#replay(id);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#running?.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  protected override updated(changed: PropertyValues): void {
    const asked = ['model', 'proposal', 'published', 'draft', 'unknownCaller'];
    if (asked.some((name) => changed.has(name))) this.#plan();
  }

  /** Drops an answer to an earlier question. */
  #plan(): void {
    this.#running?.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), waitMs);
  }

  async #ask(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const { draft, unknownCaller, model, proposal } = this;
    const read = askedOf({ draft, unknownCaller, model, standing: asOf() });
    for (const field of this.#fields()) field.error = '';
    if ('wrong' in read) {
      this.#fail(wrongField(read.wrong.field, read.wrong.message));
      return;
    }
    try {
      const tried = await tryRoute({ ...read.body, proposal }, running.signal);
      if (running.signal.aborted) return;
      this.tried = tried;
      this.failure = null;
      this.#tell();
    } catch (error) {
      if (!running.signal.aborted) this.#fail(asFailure(error));
    }
  }

  #fail(failure: ApiFailure): void {
    const field = this.#fields().find(({ name }) => name === failure.param);
    if (field === undefined) this.failure = failure;
    else field.error = failure.message;
    this.tried = null;
    this.#tell();
  }

  #fields(): readonly GwField[] {
    return [...this.renderRoot.querySelectorAll<GwField>('gw-field')];
  }

  #tell(): void {
    const detail = this.tried === null ? null : (this.tried.proposed ?? this.tried.standing);
    this.dispatchEvent(new CustomEvent('gw-answer', { detail }));
  }

  protected override render() {
    return html`<section aria-label="Dry run">
      <header>
        <h2>Dry run</h2>
        <span class="quiet">Sends no request</span>
      </header>
      <div class="question" @gw-input=${this.#onInput}>
        ${formRows(questionRows(this), this.#shown())} ${this.#more()}
      </div>
      <div class="answer" aria-live="polite">
        ${this.failure === null ? nothing : html`<gw-error .failure=${this.failure}></gw-error>`}
        ${
          this.tried === null
            ? nothing
            : answerOf(this.tried, { recorded: this.recorded, isPast: this.#isPast() })
        }
      </div>
      <ul class="caveats" aria-label="Limits of the dry run">
        ${caveatsOf(this.draft).map((text) => html`<li>${text}</li>`)}
      </ul>
    </section>`;
  }

  #isPast(): boolean {
    return this.draft.version.trim() !== '' || asOf() !== null;
  }

  #shown(): Shown {
    const { draft, principals } = this;
    const caller = principals.find(({ id }) => String(id) === draft.principal_id)?.name ?? '';
    return { ...draft, principal_id: caller, replay: this.recorded?.id ?? '' };
  }

  #more() {
    const { headers, prompt, at, version } = this.draft;
    const isOpen = [headers, prompt, at, version].some((text) => text !== '');
    const versions = this.#versions.value ?? [];
    return html`<details ?open=${isOpen}>
      <summary>More: headers, prompt, time, version, replay</summary>
      <div class="more">
        ${formRows(moreRows({ versions, standing: asOf() }), this.#shown())} ${this.#replays()}
      </div>
    </details>`;
  }

  #replays() {
    const rows = this.#requests.value;
    if (rows === undefined) return nothing;
    if (rows.length === 0) return html`<p class="quiet">No requests recorded yet.</p>`;
    return formRows([replayRow(rows)], this.#shown());
  }

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    const { name, value, checked } = detail;
    if (name === 'replay') {
      if (value !== '') void this.#replay(value);
      return;
    }
    this.failure = null;
    if (name === 'streaming') this.#change({ ...this.draft, streaming: checked });
    else if (name === 'principal_id') this.#changeCaller(value);
    else if (name in this.draft) this.#change({ ...this.draft, [name]: value });
  };

  #changeCaller(text: string): void {
    const caller = callerOf(text, this.principals);
    this.unknownCaller = 'unknownCaller' in caller ? caller.unknownCaller : '';
    if ('id' in caller) this.#change({ ...this.draft, principal_id: caller.id });
  }

  #change(draft: QuestionDraft): void {
    this.draft = draft;
    changeQuery({ ...writeQuestion(draft), replay: this.recorded?.id ?? null });
  }

  async #replay(id: string): Promise<void> {
    this.#replayed = id;
    try {
      const { body } = await call('GET', '/admin/usage/events', { query: { id } });
      // Another request was selected in the meantime.
      if (this.#replayed !== id) return;
      const [row] = body;
      if (row === undefined) throw new Error(`the request ${id} is no longer stored`);
      this.recorded = row;
      // The answer and the caller belong to another request.
      this.tried = null;
      this.unknownCaller = '';
      this.#change({ ...replayOf(row), version: this.draft.version });
    } catch (error) {
      this.failure = asFailure(error);
    }
  }
}

customElements.define('gw-dry-run', GwDryRun);
