// Defines the form of a model.

import { modelFields } from '../../../src/fields/model.ts';
import { modelForm } from '../../lib/providers/model-draft.ts';
import type { ModelDraft } from '../../lib/providers/model-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { fieldRows } from '../../parts/form-rows.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import type { ModelRow } from './load.ts';
import { changeSave, creationSave } from './saves.ts';

const rows: readonly FormRow<ModelDraft>[] = [
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

export const modelFormOf = (model: ModelRow | null) =>
  recordForm({
    isNew: model === null,
    draft: model === null ? modelForm.blank : modelForm.write(model),
    fields: () => rows,
    save: (draft) =>
      model === null
        ? whenRead(modelForm.read(draft), creationSave)
        : whenRead(modelForm.change(draft, model), (body) => changeSave(model, body)),
  });
