// Builds the form of a record from data: its initial draft, its fields and its save.

import { html, nothing } from 'lit';

import type { ApiFailure } from '../api/http/failure.ts';
import type { Wrong } from '../lib/saves/draft.ts';
import type { Save } from '../lib/saves/save.ts';
import type { FormRow } from './form-rows.ts';
import { RecordForm } from './record-form.ts';

type FormAsData<Draft extends object> = Readonly<{
  /** True for a new record. */
  isNew?: boolean;
  draft: Draft;
  fields: (draft: Draft) => readonly FormRow<Draft>[];
  save: (draft: Draft) => Save | Wrong;
  /** Shown above the fields. */
  lead?: unknown;
}>;

export type DrawForm = (failure: ApiFailure | null) => unknown;

/** The draft survives when the form is drawn again with other fields. */
export const recordForm =
  <Draft extends object>(form: FormAsData<Draft>): DrawForm =>
  (failure) =>
    html`<gw-record-form
      .form=${form}
      .row=${form.isNew === true ? null : form}
      .failure=${failure}
    ></gw-record-form>`;

class GwRecordForm extends RecordForm<unknown, object> {
  static override properties = { form: { attribute: false } };
  declare form: FormAsData<object>;

  protected override draftOf(): object {
    return this.form.draft;
  }

  protected override fields(draft: object): readonly FormRow<object>[] {
    return this.form.fields(draft);
  }

  protected override saveOf(draft: object): Save | Wrong {
    return this.form.save(draft);
  }

  protected override lead(): unknown {
    return this.form.lead ?? nothing;
  }
}

customElements.define('gw-record-form', GwRecordForm);
