// The dialog of every change: shows the diff, takes a reason and saves. A refusal is shown here, or in the form if it names a field.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state } from '../elements/element.ts';
import type { Change, Prepared } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import { findConflict } from '../api/http/conflict.ts';
import type { Found } from '../api/http/conflict.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import '../elements/overlay/dialog.ts';
import type { GwDialog } from '../elements/overlay/dialog.ts';
import '../elements/diff.ts';
import '../elements/error.ts';
import '../elements/form/field.ts';
import type { FieldInput } from '../elements/form/field.ts';
import { alternatives, previewOf, previews } from '../extension.ts';
import type { Alternative } from '../extension.ts';
import { changesBetween } from '../lib/saves/change.ts';
import { draftCallsOf } from '../lib/changes/draft-calls.ts';
import type { DraftCall } from '../lib/changes/draft-calls.ts';
import { onceKey } from '../lib/text/once-key.ts';
import { isUncertain, keyAfter, mayGoOnTop } from '../lib/saves/save-attempt.ts';
import type { Save } from '../lib/saves/save.ts';
import { forgetEdits } from '../state/edits.ts';
import { announce } from '../state/publication.ts';
import { notify } from '../state/toasts.ts';
import { base, buttons } from '../styles/base.ts';
import { copySave } from './save-copy.ts';
import { saveStyles } from './save-styles.ts';

/** Dispatches `gw-saved` with the response, `gw-refused` with a failure that names a field, and `gw-close`. */
class GwSave extends element({
  /** Null means closed. */
  save: given<Save | null>(null),
  busy: state(false),
  failure: state<ApiFailure | null>(),
  reason: state<string>(),
  reasonMissing: state<boolean>(),
  previewing: state<boolean>(),
  /** The change that others made to the record; null if unknown. */
  conflict: state<Found | null>(),
}) {
  static override styles = [base, buttons, saveStyles];
  /** All attempts of one change use the same idempotency key until the server refuses it, so that it is saved only once. */
  #onceKey = '';
  #shown: Save | null = null;
  /** Null if the request is not known in advance. */
  #prepared: Prepared | null = null;

  constructor() {
    super();
    this.#begin();
  }

  #begin(): void {
    this.failure = null;
    this.reason = '';
    this.reasonMissing = false;
    this.previewing = false;
    this.conflict = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('save') || this.save === null) return;
    this.#shown = this.save;
    this.#onceKey = onceKey();
    this.#prepared = null;
    // The error appears again when the save runs.
    this.save.run({ preview: this.#prepare }).catch(() => {});
    this.#begin();
  }

  readonly #prepare = (request: Prepared): void => {
    this.#prepared ??= request;
  };

  protected override render() {
    // The last save stays visible while the dialog closes.
    const shown = this.save ?? this.#shown;
    if (shown === null) return nothing;
    return html`<gw-dialog
      heading=${shown.heading}
      verb=${this.busy ? `${shown.verb}…` : shown.verb}
      name=${shown.name ?? ''}
      ?danger=${shown.danger === true}
      ?busy=${this.busy || this.conflict !== null}
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
          error=${this.reasonMissing ? 'Enter a reason' : ''}
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
    const { conflict, failure, save } = this;
    if (conflict !== null) {
      // On demand, because conflicts are rare.
      void import('./save-became.ts');
      return html`<gw-save-became
        .found=${conflict}
        ?busy=${this.busy}
        ?offered=${save !== null && mayGoOnTop(save, conflict)}
        @gw-on-top=${this.#onTop}
      ></gw-save-became>`;
    }
    return html`<gw-error .failure=${failure}></gw-error> ${
        failure !== null && isUncertain(failure)
          ? html`<p class="quiet">
              It is unknown whether this change was saved. It is safe to try again: it will be saved
              only once.
            </p>`
          : nothing
      }`;
  }

  /** Further actions: copy, alternatives of extensions, preview. */
  #others() {
    const calls = this.#calls();
    const isRefused = this.failure?.code === 'approval_required';
    return html`<div class="other">
      ${copySave(this.#prepared, this.reason)}
      ${
        calls === null
          ? nothing
          : alternatives.map(
              (one) =>
                html`<button
                  type="button"
                  class=${this.failure?.code === one.resolves ? 'primary' : 'plain'}
                  ?disabled=${this.busy}
                  @click=${() => this.#sendInstead(one)}
                >
                  ${one.label}
                </button>`,
            )
      }
      ${
        isRefused
          ? html`<button
              type="button"
              class="danger"
              ?disabled=${this.busy}
              @click=${this.#breakGlass}
            >
              Save now, review later
            </button>`
          : nothing
      }
      ${this.previewing ? nothing : previews.map((one) => this.#offered(one))}
    </div>`;
  }

  #offered({ label, concerns }: (typeof previews)[number]) {
    return this.#calls()?.some(({ path }) => concerns(path)) === true
      ? html`<button type="button" class="plain" @click=${this.#askRequests}>${label}</button>`
      : nothing;
  }

  #preview() {
    const calls = this.#calls();
    return this.previewing && calls !== null ? previewOf({ proposal: { calls } }) : nothing;
  }

  #calls(): readonly DraftCall[] | null {
    return this.#prepared === null ? null : draftCallsOf(this.#prepared);
  }

  readonly #onReason = ({ detail }: CustomEvent<FieldInput>): void => {
    this.reason = detail.value;
    this.reasonMissing = false;
  };

  readonly #askRequests = (): void => {
    this.previewing = true;
  };

  /** Replaces the refused version by the current one. */
  readonly #onTop = (): Promise<void> => {
    return this.#publish({ version: this.conflict?.version });
  };

  /** Confirms like the button, which can require a typed name first. */
  readonly #onEnter = (): void => this.renderRoot.querySelector<GwDialog>('gw-dialog')?.confirm();

  readonly #run = (): Promise<void> => this.#publish({});

  #publish(over: Pick<Change, 'version'>): Promise<void> {
    return this.#attempt((save, given) => this.#make(save, { ...given, ...over }, save.done));
  }

  /** The reason says why the change cannot wait for approval, so it is required. */
  readonly #breakGlass = (): Promise<void> =>
    this.#attempt(
      (save, given) =>
        this.#make(save, { ...given, breakGlass: this.reason }, `${save.done}, review pending`),
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

  #sendInstead({ send }: Alternative): Promise<void> {
    return this.#attempt(
      async (save, { reason, onceKey: key }) => {
        const proposal = { title: save.heading, calls: this.#calls() ?? [] };
        // Needs its own idempotency key, because it is a different request.
        await send(proposal, { reason, onceKey: `${key}-draft` });
        forgetEdits();
        this.#tell('gw-close', null);
      },
      { isReasonNeeded: true },
    );
  }

  async #attempt(
    make: (save: Save, change: Change) => Promise<void>,
    { isReasonNeeded = false } = {},
  ): Promise<void> {
    const { save, reason } = this;
    if (save === null || this.busy) return;
    const isNeeded = isReasonNeeded || save.reasonNeeded === true;
    this.reasonMissing = isNeeded && reason.trim() === '';
    if (this.reasonMissing) return;
    this.busy = true;
    this.failure = null;
    this.conflict = null;
    try {
      await make(save, { reason, onceKey: this.#onceKey });
    } catch (error) {
      this.failure = asFailure(error);
      this.conflict = await findConflict(this.failure, {
        prepared: this.#prepared,
        stream: save.stream,
      });
      this.#onceKey = keyAfter(this.failure, { key: this.#onceKey, fresh: onceKey });
      // A conflict is shown here with its options, not at a field.
      const isOfField = this.failure.param !== null && this.conflict === null;
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
