// The one way in which a change is saved: what changes is shown, a reason may be given, and then it is published; what the server
// refuses stands in the dialog, or goes back to the form when it names a field.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state } from '../elements/element.ts';
import type { Change, Prepared } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import { foundMeanwhile } from '../api/http/meanwhile.ts';
import type { Found } from '../api/http/meanwhile.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import '../elements/overlay/dialog.ts';
import type { GwDialog } from '../elements/overlay/dialog.ts';
import '../elements/diff.ts';
import '../elements/error.ts';
import '../elements/form/field.ts';
import type { FieldInput } from '../elements/form/field.ts';
import { previewOf, previews } from '../extension.ts';
import { changesBetween } from '../lib/saves/change.ts';
import { draftCallsOf } from '../lib/changes/change-request.ts';
import type { DraftCall } from '../lib/changes/change-request.ts';
import { onceKey } from '../lib/text/once-key.ts';
import { isUncertain, keyAfter, mayGoOnTop } from '../lib/saves/save-attempt.ts';
import type { Save } from '../lib/saves/save.ts';
import { forgetEdits } from '../state/edits.ts';
import { announce } from '../state/publication.ts';
import { notify } from '../state/toasts.ts';
import { base, buttons } from '../styles/base.ts';
import { copySave } from './save-copy.ts';
import { requestApproval } from './save-request.ts';
import { saveStyles } from './save-styles.ts';

/** `gw-saved` has what the call answered; `gw-refused` a failure that names a field; `gw-close` is a change of mind. */
class GwSave extends element({
  /** Null is closed. */
  save: given<Save | null>(null),
  busy: state(false),
  failure: state<ApiFailure | null>(),
  reason: state<string>(),
  /** A reason is needed and was not given. */
  unreasoned: state<boolean>(),
  /** What it would have made of recorded requests is shown. */
  asksRequests: state<boolean>(),
  /** What became of the record while the change was made; null is nothing that is known. */
  meanwhile: state<Found | null>(),
}) {
  static override styles = [base, buttons, saveStyles];
  /** One key for all attempts at one change whose answers were lost: it cannot be made twice. */
  #onceKey = '';
  #shown: Save | null = null;
  /** What is going to be sent, as far as it is known before it is. */
  #prepared: Prepared | null = null;

  constructor() {
    super();
    this.#begin();
  }

  #begin(): void {
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
    this.#begin();
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
      verb=${this.busy ? `${shown.verb}…` : shown.verb}
      name=${shown.name ?? ''}
      ?danger=${shown.danger === true}
      ?busy=${this.busy || this.meanwhile !== null}
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
        ${(shown.warnings ?? []).map((text) => html`<p class="warning" role="alert">${text}</p>`)}
        <gw-field
          name="reason"
          label="Reason"
          hint="Saved with this change in History"
          ?required=${shown.reasonNeeded === true}
          error=${this.unreasoned ? 'A reason is needed' : ''}
          .value=${this.reason}
          @gw-input=${this.#onReason}
          @gw-enter=${this.#onEnter}
        ></gw-field>
        ${this.#others()} ${this.#preview()} ${this.#failed()}
        ${
          shown.busyText === undefined
            ? nothing
            : html`<p class="quiet" role="status">${this.busy ? shown.busyText : ''}</p>`
        }
      </div>
    </gw-dialog>`;
  }

  #failed() {
    const { meanwhile, failure, save } = this;
    if (meanwhile !== null) {
      // Its code is fetched when it is wanted, which is rare.
      void import('./save-became.ts');
      return html`<gw-save-became
        .found=${meanwhile}
        ?busy=${this.busy}
        ?offered=${save !== null && mayGoOnTop(save, meanwhile)}
        @gw-on-top=${this.#onTop}
      ></gw-save-became>`;
    }
    return html`<gw-error .failure=${failure}></gw-error> ${
        failure !== null && isUncertain(failure)
          ? html`<p class="quiet">
              Whether it was made is not known. Sent again from here, it is made once.
            </p>`
          : nothing
      }`;
  }

  /** What can be done with it besides. */
  #others() {
    const calls = this.#calls();
    const isRefused = this.failure?.code === 'approval_required';
    return html`<div class="other">
      ${copySave(this.#prepared, this.reason)}
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
      ${this.asksRequests ? nothing : previews.map((one) => this.#offered(one))}
    </div>`;
  }

  #offered({ label, concerns }: (typeof previews)[number]) {
    return this.#calls()?.some(({ path }) => concerns(path)) === true
      ? html`<button type="button" class="plain" @click=${this.#askRequests}>${label}</button>`
      : nothing;
  }

  #preview() {
    const calls = this.#calls();
    return this.asksRequests && calls !== null ? previewOf({ proposal: { calls } }) : nothing;
  }

  #calls(): readonly DraftCall[] | null {
    return this.#prepared === null ? null : draftCallsOf(this.#prepared);
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
    return this.#publish({ version: this.meanwhile?.version });
  };

  /** As the button does, which may wait for a name that is to be typed. */
  readonly #onEnter = (): void => this.renderRoot.querySelector<GwDialog>('gw-dialog')?.confirm();

  readonly #run = (): Promise<void> => this.#publish({});

  #publish(over: Pick<Change, 'version'>): Promise<void> {
    return this.#attempt((save, given) => this.#make(save, { ...given, ...over }, save.done));
  }

  /** Why it cannot wait is the reason, which then is needed. */
  readonly #breakGlass = (): Promise<void> =>
    this.#attempt(
      (save, given) =>
        this.#make(save, { ...given, breakGlass: this.reason }, `${save.done}, to be reviewed`),
      { isReasonNeeded: true },
    );

  async #make(save: Save, change: Change, text: string): Promise<void> {
    const answer = await save.run(change);
    forgetEdits();
    const requestId = answer.headers.get('x-request-id');
    const { notPublished } = save;
    if (notPublished !== undefined) notify({ tone: 'good', text, detail: notPublished });
    else void announce({ text, version: answer.snapshotVersion, requestId });
    this.#tell('gw-saved', answer);
  }

  readonly #requestApproval = (): Promise<void> =>
    this.#attempt(
      async (save, { reason, onceKey: key }) => {
        const proposal = { title: save.heading, calls: this.#calls() ?? [] };
        // It is another request than that of the change itself.
        await requestApproval(proposal, { reason, onceKey: `${key}-draft` });
        forgetEdits();
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
      this.meanwhile = await foundMeanwhile(this.failure, {
        prepared: this.#prepared,
        stream: save.stream,
      });
      this.#onceKey = keyAfter(this.failure, { key: this.#onceKey, fresh: onceKey });
      // What others did stands here, beside what can be done about it: no field is to blame.
      const isOfField = this.failure.param !== null && this.meanwhile === null;
      if (isOfField) this.#tell('gw-refused', this.failure);
    } finally {
      this.busy = false;
    }
  }

  #tell(event: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }
}

customElements.define('gw-save', GwSave);
