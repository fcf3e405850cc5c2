// Base class of record forms: holds the draft, builds the save, and shows problems of the page and refusals of the server at their fields.

import { LitElement, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { wrongField } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import type { FieldInput } from '../elements/form/field.ts';
import '../elements/form/form.ts';
import type { Wrong } from '../lib/saves/draft.ts';
import { base } from '../styles/base.ts';
import { record } from '../styles/record.ts';
import { formRows, memberOf } from './form-rows.ts';
import type { FormRow } from './form-rows.ts';
import type { Save } from '../lib/saves/save.ts';

/** Dispatches `gw-review` with the save, and `gw-cancel`. */
export abstract class RecordForm<Row, Draft extends object> extends LitElement {
  static override properties: PropertyDeclarations = {
    row: { attribute: false },
    failure: { attribute: false },
    wrong: { state: true },
    draft: { state: true },
  };
  static override styles = [base, record];
  /** Null for a new record. */
  declare row: Row;
  declare failure: ApiFailure | null;
  /** The problem that the page found. */
  declare wrong: ApiFailure | null;
  declare draft: Draft;

  constructor() {
    super();
    this.failure = null;
    this.wrong = null;
  }

  /** A reload of the record keeps the draft. */
  protected abstract draftOf(row: Row): Draft;
  protected abstract fields(draft: Draft, row: Row): readonly FormRow<Draft>[];
  protected abstract saveOf(draft: Draft, row: Row): Save | Wrong;

  protected typed(draft: Draft, { name, value, checked }: FieldInput): Draft {
    const member = memberOf(this.fields(draft, this.row), name);
    if (!(member in draft)) return draft;
    const isTick = typeof Reflect.get(draft, member) === 'boolean';
    return { ...draft, [member]: isTick ? checked : value };
  }

  /** Shown above the fields. */
  protected lead(): unknown {
    return nothing;
  }

  protected override willUpdate(): void {
    if (!this.hasUpdated) this.draft = this.draftOf(this.row);
  }

  protected override render() {
    return html`${this.lead()}<gw-form
        verb=${this.row === null ? 'Review' : 'Review change'}
        .failure=${this.wrong ?? this.failure}
        @gw-input=${this.#onInput}
        @gw-submit=${this.#submit}
        @gw-cancel=${this.#cancel}
      >
        ${formRows(this.fields(this.draft, this.row), this.draft)}
      </gw-form>`;
  }

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    this.draft = this.typed(this.draft, detail);
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const save = this.saveOf(this.draft, this.row);
    if ('wrong' in save) this.wrong = wrongField(save.wrong.field, save.wrong.message);
    else this.dispatchEvent(new CustomEvent('gw-review', { detail: save, bubbles: true }));
  };

  readonly #cancel = (): void => {
    this.dispatchEvent(new CustomEvent('gw-cancel', { bubbles: true }));
  };
}
