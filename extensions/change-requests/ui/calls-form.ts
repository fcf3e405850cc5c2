// Edits the draft of a change request: its title and its API calls.

import { css, html } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state } from '../../../ui/elements/element.ts';
import { wrongField } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import type { WholeRequest } from './api.ts';
import '../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../ui/elements/form/field.ts';
import '../../../ui/elements/form/form.ts';
import '../../../ui/elements/icon.ts';
import type { DraftCall } from '../../../ui/lib/changes/draft-calls.ts';
import { callDrafts, callMethods, newCall, readCalls, readMethod } from './draft.ts';
import type { CallDraft } from './draft.ts';
import { base, buttons } from '../../../ui/styles/base.ts';

export type CallsEdit = Readonly<{ title: string; calls: readonly DraftCall[] }>;

const methods = callMethods.map((value) => ({ value, label: value }));

/** Dispatches `gw-review` with the edit, and `gw-cancel`. */
class GwCallsForm extends element({
  request: given<WholeRequest>(),
  failure: given<ApiFailure | null>(null),
  /** The first problem that the form found. */
  wrong: state<ApiFailure | null>(null),
  named: state(''),
  calls: state<readonly CallDraft[]>([]),
}) {
  static override styles = [
    base,
    buttons,
    css`
      fieldset {
        display: grid;
        gap: var(--space-3);
        min-width: 0;
        margin: 0;
        padding: var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
      }

      legend {
        padding: 0 var(--space-1);
        font-weight: 500;
      }

      .line {
        display: grid;
        grid-template-columns: 7rem minmax(0, 1fr);
        gap: var(--space-3);
      }

      button {
        width: fit-content;
      }
    `,
  ];

  /** A reload of the change request keeps what was typed. */
  protected override willUpdate(_: PropertyValues<this>): void {
    if (this.hasUpdated) return;
    this.named = this.request.title ?? '';
    this.calls = callDrafts(this.request.bodies ?? []);
  }

  protected override render() {
    return html`<gw-form
      verb="Review change"
      .failure=${this.wrong ?? this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field name="title" label="Title" required .value=${this.named}></gw-field>
      ${this.calls.map((call, index) => this.#call(call, index))}
      <button type="button" @click=${this.#add}><gw-icon name="plus"></gw-icon>Add call</button>
    </gw-form>`;
  }

  #call({ method, path, body, secrets }: CallDraft, index: number) {
    const place = `calls.${index}`;
    const hint =
      secrets.length === 0
        ? 'JSON as in the admin API. Leave empty for no body'
        : `JSON. Secrets are not shown. Enter them again: ${secrets.join(', ')}`;
    return html`<fieldset>
      <legend>Call ${index + 1}</legend>
      <div class="line">
        <gw-field
          name="${place}.method"
          label="Method"
          type="select"
          required
          .choices=${methods}
          .value=${method}
        ></gw-field>
        <gw-field name="${place}.path" label="Path" mono required .value=${path}></gw-field>
      </div>
      <gw-field
        name=${place}
        label="Body"
        type="textarea"
        mono
        hint=${hint}
        .value=${body}
      ></gw-field>
      <button
        type="button"
        aria-label="Remove call ${index + 1}"
        @click=${() => this.#keep(this.calls.toSpliced(index, 1))}
      >
        <gw-icon name="trash-2"></gw-icon>Remove
      </button>
    </fieldset>`;
  }

  #keep(calls: readonly CallDraft[]): void {
    this.wrong = null;
    this.calls = calls;
  }

  readonly #add = (): void => this.#keep([...this.calls, newCall]);

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    if (name === 'title') {
      this.named = value;
      return;
    }
    const [, number = '', member = 'body'] = /^calls\.(\d+)(?:\.(\w+))?$/.exec(name) ?? [];
    const index = Number(number);
    const call = this.calls[index];
    if (call === undefined) return;
    const typed = member === 'method' ? { method: readMethod(value) } : { [member]: value };
    this.#keep(this.calls.with(index, { ...call, ...typed }));
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const read = readCalls(this.calls);
    if ('wrong' in read) {
      this.wrong = wrongField(read.wrong.field, read.wrong.message);
      return;
    }
    const detail: CallsEdit = { title: this.named.trim(), calls: read.calls };
    this.dispatchEvent(new CustomEvent('gw-review', { detail, bubbles: true }));
  };
}

customElements.define('gw-calls-form', GwCallsForm);
