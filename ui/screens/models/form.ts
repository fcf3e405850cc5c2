// The form of a model, for a new one and for one that is there.

import { modelFields } from '../../../src/fields/model.ts';
import { modelForm } from '../../lib/providers/model-draft.ts';
import type { ModelDraft } from '../../lib/providers/model-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { fieldRows } from '../../parts/form-rows.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { ModelRow } from './load.ts';
import { changeSave, creationSave } from './saves.ts';

const rows: readonly FormRow<ModelDraft>[] = [
  {
    name: 'name',
    label: 'Name',
    hint: 'What rules and pools call it; a provider may know it by another',
    required: true,
    mono: true,
  },
  { name: 'description', label: 'Description' },
  ...fieldRows(modelFields),
];

class GwModelForm extends RecordForm<ModelRow | null, ModelDraft> {
  protected override draftOf(model: ModelRow | null): ModelDraft {
    return model === null ? modelForm.blank : modelForm.write(model);
  }

  protected override saveOf(draft: ModelDraft, model: ModelRow | null) {
    return model === null
      ? whenRead(modelForm.read(draft), creationSave)
      : whenRead(modelForm.change(draft, model), (body) => changeSave(model, body));
  }

  protected override fields(): readonly FormRow<ModelDraft>[] {
    return rows;
  }
}

customElements.define('gw-model-form', GwModelForm);
