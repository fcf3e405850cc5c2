// A request that is tried on the rules beside it, without making it: where it would go, by what is published and by what is about to be.
// The question stands in the address; a recorded request can be asked again.

import { LitElement, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { Prepared } from '../../api/call.ts';
import { asFailure, wrongField } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { listSnapshots } from '../../api/snapshots.ts';
import { listUsageEvents } from '../../api/usage.ts';
import type { UsageEvent } from '../../api/usage.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/error.ts';
import '../../elements/field.ts';
import type { FieldInput, GwField } from '../../elements/field.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import {
  caveatsOf,
  questionBody,
  readQuestion,
  replayOf,
  writeQuestion,
} from '../../lib/dry-run.ts';
import type { QuestionDraft } from '../../lib/dry-run.ts';
import { formatTime } from '../../lib/format.ts';
import { asOf } from '../../state/as-of.ts';
import { changeQuery, place } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { answerOf } from './answer.ts';
import { dryRunStyles } from './dry-run-styles.ts';
import type { Named } from './rule-rows.ts';
import { tryRoute } from './try.ts';
import type { Tried } from './try.ts';

const replayedMax = 20;
const versionsMax = 20;
const waitMs = 250;

/** Tells by `gw-answer` with what the rules beside it should show, or null. */
export class GwDryRun extends LitElement {
  static override properties = {
    model: { type: String },
    principals: { attribute: false },
    classes: { attribute: false },
    proposal: { attribute: false },
    published: { attribute: false },
    draft: { state: true },
    stranger: { state: true },
    tried: { state: true },
    failure: { state: true },
    recorded: { state: true },
  };
  static override styles = [base, buttons, dryRunStyles];
  declare model: string;
  declare principals: readonly Named[];
  declare classes: readonly string[];
  /** Calls that nobody has made yet. */
  declare proposal: readonly Prepared[];
  /** Whatever is another one when the rules are. */
  declare published: unknown;
  declare draft: QuestionDraft;
  /** A caller as it is typed that nobody is; empty is none. */
  declare stranger: string;
  declare tried: Tried | null;
  declare failure: ApiFailure | null;
  /** The request that is asked again. */
  declare recorded: UsageEvent | null;
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #requests = new Resource(this, async (signal) => {
    const query = { virtual_model: this.model, limit: replayedMax };
    const { body } = await listUsageEvents(query, signal);
    return body;
  });
  readonly #versions = new Resource(this, async (signal) => {
    const { body } = await listSnapshots(versionsMax, signal);
    return body.map(({ version, created_at }) => ({ version, at: created_at }));
  });

  constructor() {
    super();
    this.principals = [];
    this.classes = [];
    this.proposal = [];
    this.published = null;
    this.draft = readQuestion(place.get().query);
    this.stranger = '';
    this.tried = null;
    this.failure = null;
    this.recorded = null;
  }

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

  #plan(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), waitMs);
  }

  async #ask(): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    if (this.stranger !== '') {
      this.#fail(wrongField('principal_id', `no principal is called ${this.stranger}`));
      return;
    }
    const read = questionBody(this.draft, this.model);
    if ('wrong' in read) {
      this.#fail(wrongField(read.wrong.field, read.wrong.message));
      return;
    }
    const version = this.draft.version.trim() === '' ? (asOf() ?? '') : this.draft.version;
    const draft = { ...this.draft, version };
    try {
      const asked = { question: read.body, draft, proposal: this.proposal };
      const tried = await tryRoute(asked, running.signal);
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
    return [...this.renderRoot.querySelectorAll('gw-field')];
  }

  #tell(): void {
    const detail = this.tried === null ? null : (this.tried.proposed ?? this.tried.standing);
    this.dispatchEvent(new CustomEvent('gw-answer', { detail }));
  }

  protected override render() {
    return html`<section aria-label="Dry-run">
      <header>
        <h2>Dry-run</h2>
        <span class="quiet">nothing is sent</span>
      </header>
      <div class="question" @gw-input=${this.#onInput}>${this.#question()} ${this.#more()}</div>
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

  #question() {
    const { draft, principals, classes } = this;
    const caller = principals.find(({ id }) => String(id) === draft.principal_id)?.name ?? '';
    return html`<gw-field
        unmarked
        name="principal_id"
        label="Caller"
        placeholder="One who may invoke every model"
        .choices=${principals.map(({ name }) => ({ value: name, label: name }))}
        .value=${caller}
      ></gw-field>
      <div class="pair">
        <gw-field
          unmarked
          name="prompt_tokens"
          label="Prompt, tokens"
          placeholder="0"
          .value=${draft.prompt_tokens}
        ></gw-field>
        <gw-field
          unmarked
          name="max_tokens"
          label="Asks for, tokens"
          placeholder="not said"
          .value=${draft.max_tokens}
        ></gw-field>
      </div>
      <div class="pair">
        <gw-field
          unmarked
          name="class"
          label="Prompt class"
          type="select"
          .choices=${[
            { value: '', label: 'None' },
            ...classes.map((name) => ({ value: name, label: name })),
          ]}
          .value=${draft.class}
        ></gw-field>
        <gw-field
          unmarked
          class="tick"
          name="streaming"
          label="Streamed"
          type="checkbox"
          .checked=${draft.streaming}
        ></gw-field>
      </div>`;
  }

  #more() {
    const { draft } = this;
    const isOpen = [draft.headers, draft.prompt, draft.at, draft.version].some(
      (text) => text !== '',
    );
    return html`<details ?open=${isOpen}>
      <summary>Headers, prompt, time, version, recorded requests</summary>
      <div class="more">
        <gw-field
          unmarked
          name="headers"
          label="Headers"
          type="textarea"
          placeholder="x-tier: gold"
          mono
          .value=${draft.headers}
        ></gw-field>
        <gw-field
          unmarked
          name="prompt"
          label="Prompt"
          type="textarea"
          hint="Its class is found as the gateway finds it"
          .value=${draft.prompt}
        ></gw-field>
        <div class="pair">
          <gw-field
            unmarked
            name="at"
            label="At"
            placeholder="now"
            hint="UTC, such as 2026-11-21 14:05"
            .value=${draft.at}
          ></gw-field>
          <gw-field
            unmarked
            name="version"
            label="On version"
            placeholder=${asOf() ?? 'as published'}
            hint="Or a time"
            .choices=${(this.#versions.value ?? []).map(({ version, at }) => ({
              value: String(version),
              label: formatTime(new Date(at), 'utc'),
            }))}
            .value=${draft.version}
          ></gw-field>
        </div>
        ${this.#replays()}
      </div>
    </details>`;
  }

  #replays() {
    const rows = this.#requests.value;
    if (rows === undefined) return nothing;
    if (rows.length === 0) return html`<p class="quiet">No request to it is recorded yet.</p>`;
    return html`<gw-field
      unmarked
      name="replay"
      label="Ask a recorded request again"
      type="select"
      .choices=${[
        { value: '', label: 'Choose one of the last' },
        ...rows.map((row) => ({
          value: row.id,
          label: `${formatTime(new Date(row.at), 'utc').slice(5, 19)} ${row.route ?? row.refusal ?? ''} ${row.model ?? ''}`,
        })),
      ]}
      .value=${this.recorded?.id ?? ''}
    ></gw-field>`;
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

  /** By name, as it is suggested, or by id. */
  #changeCaller(text: string): void {
    const typed = text.trim();
    const found = this.principals.find(({ id, name }) => name === typed || String(id) === typed);
    this.stranger = typed === '' || found !== undefined ? '' : typed;
    if (this.stranger === '') {
      this.#change({ ...this.draft, principal_id: found === undefined ? '' : String(found.id) });
    }
  }

  #change(draft: QuestionDraft): void {
    this.draft = draft;
    changeQuery({ ...writeQuestion(draft), replay: this.recorded?.id ?? null });
  }

  async #replay(id: string): Promise<void> {
    try {
      const { body } = await listUsageEvents({ id });
      const [row] = body;
      if (row === undefined) throw new Error(`the request ${id} is not kept any more`);
      this.recorded = row;
      // What was answered is of another request.
      this.tried = null;
      this.#change({ ...replayOf(row), version: this.draft.version });
    } catch (error) {
      this.failure = asFailure(error);
    }
  }
}

customElements.define('gw-dry-run', GwDryRun);

declare global {
  interface HTMLElementTagNameMap {
    'gw-dry-run': GwDryRun;
  }
}
