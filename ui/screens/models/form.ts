// Defines the form of a model: its plain fields and its price card.

import { modelFields } from '../../../src/fields/model.ts';
import { cardFields, cardParts } from '../../lib/providers/card-draft.ts';
import { modelForm } from '../../lib/providers/model-draft.ts';
import type { ModelDraft } from '../../lib/providers/model-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import { fieldRows } from '../../parts/form-rows.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { edited } from '../../state/edits.ts';
import { buttons } from '../../styles/base.ts';
import { formGroups } from '../../styles/form-groups.ts';
import { cardRows } from './card-rows.ts';
import type { ModelRow } from './load.ts';
import { changeSave, creationSave } from './saves.ts';

const plainRows: readonly FormRow<ModelDraft>[] = [
  {
    name: 'name',
    label: 'Name',
    hint: 'Used in rules and pools. The provider can use a different name',
    required: true,
    mono: true,
  },
  { name: 'description', label: 'Description' },
  ...fieldRows(modelFields),
];

const cards = Object.entries(modelFields).flatMap(([name, { type, label }]) =>
  type === 'rates' ? [{ name, label }] : [],
);

class GwModelForm extends RecordForm<ModelRow | null, ModelDraft> {
  static override styles = [RecordForm.styles, buttons, formGroups].flat();

  protected override draftOf(row: ModelRow | null): ModelDraft {
    return row === null ? modelForm.blank : modelForm.write(row);
  }

  protected override fields(draft: ModelDraft): readonly FormRow<ModelDraft>[] {
    return [...plainRows, ...cards.map((card) => cardRows(draft, card, this.#set))];
  }

  /** The server and the draft name the fields of rows differently. */
  protected override typed(draft: ModelDraft, input: FieldInput): ModelDraft {
    const field = cards
      .flatMap(({ name }) => cardFields(cardParts(draft, name)))
      .find(({ name }) => name === input.name);
    return field === undefined
      ? super.typed(draft, input)
      : { ...draft, [field.member]: input.value };
  }

  protected override saveOf(draft: ModelDraft, row: ModelRow | null) {
    return row === null
      ? whenRead(modelForm.read(draft), creationSave)
      : whenRead(modelForm.change(draft, row), (body) => changeSave(row, body));
  }

  readonly #set = (draft: ModelDraft): void => {
    this.wrong = null;
    this.draft = draft;
    edited(this);
  };
}

customElements.define('gw-model-form', GwModelForm);
