// The one way in which a change is saved: what changes is shown, a reason may be given, and then it is published; what the server
// refuses stands in the dialog, or goes back to the form when it names a field.

import { LitElement, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { Answered, Change, Prepared } from '../api/call.ts';
import { draftChangeRequest } from '../api/change-requests.ts';
import { asFailure } from '../api/failure.ts';
import { foundMeanwhile } from '../api/meanwhile.ts';
import type { Found } from '../api/meanwhile.ts';
import type { ApiFailure } from '../api/failure.ts';
import { copyText } from '../elements/copy-text.ts';
import '../elements/dialog.ts';
import '../elements/diff.ts';
import '../elements/error.ts';
import '../elements/field.ts';
import type { FieldInput } from '../elements/field.ts';
import '../elements/menu.ts';
import type { MenuItem } from '../elements/menu.ts';
import { changesBetween } from '../lib/change.ts';
import { draftCallsOf } from '../lib/change-request.ts';
import type { DraftCall } from '../lib/change-request.ts';
import { curlCommand, gwCommand, yamlOf } from '../lib/copy-as.ts';
import { onceKey } from '../lib/once-key.ts';
import { concernsRequests } from '../lib/what-if.ts';
import { apiBase } from '../state/base.ts';
import { forgetEdits } from '../state/edits.ts';
import { linkTo, navigate } from '../state/location.ts';
import { announce } from '../state/publication.ts';
import { notify } from '../state/toasts.ts';
import { base, buttons } from '../styles/base.ts';
import { saveStyles } from './save-styles.ts';
import './what-if.ts';

export type Save = Readonly<{
  heading: string;
  /** On the button, such as "Delete". */
  verb: string;
  /** Said when it is done, such as "Provider OpenAI changed". */
  done: string;
  /** What is there and what is sent; null shows no table, `{}` before is a new record. Secrets are not to be in either. */
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
  /** Cannot be taken back: what breaks is in the slot. */
  danger?: boolean;
  /** To be typed first. */
  name?: string;
  /** It is not done without a reason. */
  reasonNeeded?: boolean;
  /** What it means, said above what changes. */
  about?: string;
  /** What is waited for when it takes a while. */
  busyText?: string;
  /** What is open then, of what was answered, such as `theMade`; the record that is open now when absent. */
  opens?: (answered: unknown) => readonly (string | number)[];
  run: (change: Change) => Promise<Answered<unknown>>;
}>;

/** Opens what was made. */
export const theMade: NonNullable<Save['opens']> = (answered) => {
  const id: unknown = Reflect.get(Object(answered), 'id');
  return typeof id === 'number' ? [id] : [];
};

/** Goes back to the list, because what was open is no more. */
export const theList: NonNullable<Save['opens']> = () => [];

/** `gw-saved` has what the call answered; `gw-refused` a failure that names a field; `gw-close` is a change of mind. */
export class GwSave extends LitElement {
  static override properties = {
    save: { attribute: false },
    busy: { state: true },
    failure: { state: true },
    reason: { state: true },
    unreasoned: { state: true },
    asksRequests: { state: true },
    meanwhile: { state: true },
  };
  static override styles = [base, buttons, saveStyles];
  /** Null is closed. */
  declare save: Save | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare reason: string;
  /** A reason is needed and was not given. */
  declare unreasoned: boolean;
  /** What it would have made of recorded requests is shown. */
  declare asksRequests: boolean;
  /** What became of the record while the change was made; null is nothing that is known. */
  declare meanwhile: Found | null;
  /** One key for all attempts at one change: a lost answer cannot make it twice. */
  #onceKey = '';
  #shown: Save | null = null;
  /** What is going to be sent, as far as it is known before it is. */
  #prepared: Prepared | null = null;

  constructor() {
    super();
    this.save = null;
    this.busy = false;
    this.failure = null;
    this.reason = '';
    this.unreasoned = false;
    this.asksRequests = false;
    this.meanwhile = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('save') || this.save === null) return;
    this.#shown = this.save;
    this.#onceKey = onceKey();
    this.#prepared = null;
    // What cannot be prepared says why when it is run.
    this.save.run({ preview: this.#prepare }).catch(() => {});
    this.failure = null;
    this.reason = '';
    this.unreasoned = false;
    this.asksRequests = false;
    this.meanwhile = null;
  }

  readonly #prepare = (request: Prepared): void => {
    this.#prepared ??= request;
  };

  protected override render() {
    // The last one stays drawn while the dialog goes.
    const shown = this.save ?? this.#shown;
    if (shown === null) return nothing;
    return html`<gw-dialog
      heading=${shown.heading}
      verb=${this.busy ? `${shown.verb} …` : shown.verb}
      name=${shown.name ?? ''}
      ?danger=${shown.danger === true}
      ?busy=${this.busy}
      ?open=${this.save !== null}
      wide
      @gw-close=${() => this.#tell('gw-close', null)}
      @gw-confirm=${this.#run}
    >
      <div class="parts">
        ${shown.about === undefined ? nothing : html`<p>${shown.about}</p>`}
        <slot></slot>
        ${
          shown.after === null
            ? nothing
            : html`<gw-diff
                ?fresh=${shown.before !== null && Object.keys(shown.before).length === 0}
                .changes=${changesBetween(shown.before ?? {}, shown.after)}
              ></gw-diff>`
        }
        <gw-field
          name="reason"
          label="Reason"
          hint="Kept in the history beside the change"
          ?required=${shown.reasonNeeded === true}
          error=${this.unreasoned ? 'A reason is needed' : ''}
          .value=${this.reason}
          @gw-input=${this.#onReason}
          @gw-enter=${this.#run}
        ></gw-field>
        ${this.#others()} ${this.#whatIf()}
        ${this.meanwhile === null ? html`<gw-error .failure=${this.failure}></gw-error>` : this.#became(this.meanwhile)}
        ${
          shown.busyText === undefined
            ? nothing
            : html`<p class="quiet" role="status">${this.busy ? shown.busyText : ''}</p>`
        }
      </div>
    </gw-dialog>`;
  }

  #became({ kind, message, change }: Found) {
    return html`<div class="became" role="alert">
      <p>${message}</p>
      ${
        change === null
          ? nothing
          : html`<a target="_blank" href=${linkTo({ screen: 'history', rest: [change] })}
              >See what was done</a
            >`
      }
      ${
        kind === 'changed'
          ? html`<button type="button" ?disabled=${this.busy} @click=${this.#onTop}>
              Save again on top
            </button>`
          : nothing
      }
    </div>`;
  }

  /** A script does by it what the button does. */
  #texts(): readonly (MenuItem & Readonly<{ text: string }>)[] {
    if (this.#prepared === null) return [];
    const request = { ...this.#prepared, reason: this.reason };
    const origin = new URL(apiBase, globalThis.location.href).href.replace(/\/$/, '');
    const texts = [
      { label: 'curl', text: curlCommand(request, origin) },
      { label: 'gw command', text: gwCommand(request) },
      { label: 'YAML', text: yamlOf(request) },
    ];
    return texts.flatMap(({ label, text }) =>
      text === null ? [] : [{ value: label, label: `Copy as ${label}`, text }],
    );
  }

  /** What can be done with it besides. */
  #others() {
    const calls = this.#calls();
    const isRefused = this.failure?.code === 'approval_required';
    return html`<div class="other">
      ${this.#copyAs()}
      ${
        calls === null
          ? nothing
          : html`<button
              type="button"
              class=${isRefused ? 'primary' : 'plain'}
              ?disabled=${this.busy}
              @click=${this.#requestApproval}
            >
              Request approval
            </button>`
      }
      ${
        isRefused
          ? html`<button
              type="button"
              class="danger"
              ?disabled=${this.busy}
              @click=${this.#breakGlass}
            >
              Make it at once, to be reviewed
            </button>`
          : nothing
      }
      ${
        calls !== null && !this.asksRequests && calls.some(({ path }) => concernsRequests(path))
          ? html`<button type="button" class="plain" @click=${this.#askRequests}>
              What would it have made of requests?
            </button>`
          : nothing
      }
    </div>`;
  }

  #whatIf() {
    const calls = this.#calls();
    if (!this.asksRequests || calls === null) return nothing;
    return html`<gw-what-if .proposal=${{ calls }}></gw-what-if>`;
  }

  #calls(): readonly DraftCall[] | null {
    return this.#prepared === null ? null : draftCallsOf(this.#prepared);
  }

  #copyAs() {
    const texts = this.#texts();
    if (texts.length === 0) return nothing;
    return html`<gw-menu
      plain
      icon="copy"
      text="Copy as"
      label="Copy as"
      .items=${texts}
      @gw-choose=${async ({ detail }: CustomEvent<string>) => {
        const chosen = texts.find(({ value }) => value === detail);
        if (chosen === undefined) return;
        const isCopied = await copyText(chosen.text);
        notify({ text: isCopied ? `Copied as ${chosen.value}` : 'The browser allows no copying' });
      }}
    ></gw-menu>`;
  }

  readonly #onReason = ({ detail }: CustomEvent<FieldInput>): void => {
    this.reason = detail.value;
    this.unreasoned = false;
  };

  readonly #askRequests = (): void => {
    this.asksRequests = true;
  };

  /** The version that was refused is replaced by the one that stands. */
  readonly #onTop = (): Promise<void> => {
    const version = this.meanwhile?.version;
    return this.#publish({ version });
  };

  readonly #run = (): Promise<void> => this.#publish({});

  #publish(over: Pick<Change, 'version'>): Promise<void> {
    return this.#attempt(async (save, given) => {
      const change = { ...given, ...over };
      const answer = await save.run(change);
      forgetEdits();
      void announce({
        text: save.done,
        version: answer.snapshotVersion,
        requestId: answer.headers.get('x-request-id'),
      });
      this.#tell('gw-saved', answer);
    });
  }

  /** Why it cannot wait is the reason, which then is needed. */
  readonly #breakGlass = (): Promise<void> =>
    this.#attempt(
      async (save, change) => {
        const answer = await save.run({ ...change, breakGlass: this.reason });
        forgetEdits();
        void announce({
          text: `${save.done}, to be reviewed`,
          version: answer.snapshotVersion,
          requestId: answer.headers.get('x-request-id'),
        });
        this.#tell('gw-saved', answer);
      },
      { isReasonNeeded: true },
    );

  /** Proposed to a second person in place of being made. */
  readonly #requestApproval = (): Promise<void> =>
    this.#attempt(
      async (save, { reason, onceKey }) => {
        const calls = (this.#calls() ?? []).map((call) => Object.assign({}, call));
        const { body } = await draftChangeRequest(
          { title: save.heading, calls },
          { reason, onceKey },
        );
        forgetEdits();
        const rest = ['requests', body.id];
        notify({
          tone: 'good',
          text: `Change request ${body.id} drafted`,
          detail: 'a second person approves it',
          action: { label: 'Open', run: () => navigate({ screen: 'history', rest }) },
        });
        this.#tell('gw-close', null);
      },
      { isReasonNeeded: true },
    );

  async #attempt(
    make: (save: Save, change: Change) => Promise<void>,
    { isReasonNeeded = false } = {},
  ): Promise<void> {
    const { save, reason } = this;
    if (save === null || this.busy) return;
    const isNeeded = isReasonNeeded || save.reasonNeeded === true;
    this.unreasoned = isNeeded && reason.trim() === '';
    if (this.unreasoned) return;
    this.busy = true;
    this.failure = null;
    this.meanwhile = null;
    try {
      await make(save, { reason, onceKey: this.#onceKey });
    } catch (error) {
      this.failure = asFailure(error);
      this.meanwhile = await foundMeanwhile(this.failure, this.#prepared);
      // The same key stands for the same request; the next attempt may be another.
      this.#onceKey = onceKey();
      if (this.failure.param !== null) this.#tell('gw-refused', this.failure);
    } finally {
      this.busy = false;
    }
  }

  #tell(event: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }
}

customElements.define('gw-save', GwSave);

declare global {
  interface HTMLElementTagNameMap {
    'gw-save': GwSave;
  }
}
