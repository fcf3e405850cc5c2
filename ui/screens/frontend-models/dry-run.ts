// A request that is tried on the rules beside it, without making it: where it would go, by what is published and by what is about to be.
// The question stands in the address; a recorded request can be asked again.

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

/** Tells by `gw-answer` with what the rules beside it should show, or null. */
class GwDryRun extends element({
  model: text(),
  principals: given<readonly Named[]>([]),
  classes: given<readonly string[]>([]),
  /** Calls that nobody has made yet. */
  proposal: given<readonly Prepared[]>([]),
  /** Whatever is another one when the rules are. */
  published: given<unknown>(null),
  draft: state<QuestionDraft>(readQuestion(place.get().query)),
  /** A caller as it is typed that nobody is; empty is none. */
  stranger: state(''),
  tried: state<Tried | null>(null),
  failure: state<ApiFailure | null>(null),
  /** The request that is asked again. */
  recorded: state<UsageEvent | null>(null),
}) {
  static override styles = [base, buttons, dryRunStyles];
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The id of the request that was chosen last to be asked again. */
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
    const asked = ['model', 'proposal', 'published', 'draft', 'stranger'];
    if (asked.some((name) => changed.has(name))) this.#plan();
  }

  /** An answer to the question before this one is not shown. */
  #plan(): void {
    this.#running?.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), waitMs);
  }

  async #ask(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const { draft, stranger, model, proposal } = this;
    const read = askedOf({ draft, stranger, model, standing: asOf() });
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
    return html`<section aria-label="Dry-run">
      <header>
        <h2>Dry-run</h2>
        <span class="quiet">Nothing is sent</span>
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
      <ul class="caveats" aria-label="What a dry-run cannot know">
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
      <summary>Headers, prompt, time, version, recorded requests</summary>
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
    this.stranger = 'stranger' in caller ? caller.stranger : '';
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
      // Another one was chosen meanwhile.
      if (this.#replayed !== id) return;
      const [row] = body;
      if (row === undefined) throw new Error(`the request ${id} is not kept any more`);
      this.recorded = row;
      // What was answered, and who was asked for, is of another request.
      this.tried = null;
      this.stranger = '';
      this.#change({ ...replayOf(row), version: this.draft.version });
    } catch (error) {
      this.failure = asFailure(error);
    }
  }
}

customElements.define('gw-dry-run', GwDryRun);
