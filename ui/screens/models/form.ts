// The form of a model, for a new one and for one that is there.

import { fieldLabels } from '../../lib/text/field-label.ts';
import { blankModel, fromModel, modelBody, modelChange } from '../../lib/providers/model-draft.ts';
import type { ModelDraft } from '../../lib/providers/model-draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { ModelRow } from './load.ts';
import { changeSave, creationSave } from './saves.ts';

const price = 'US dollars per million tokens. Leave empty for unpriced';

const rows: readonly FormRow<ModelDraft>[] = [
  {
    name: 'name',
    label: 'Name',
    hint: 'What rules and pools call it; a provider may know it by another',
    required: true,
    mono: true,
  },
  { name: 'description', label: 'Description' },
  {
    pair: [
      { name: 'input_price_per_mtok', label: fieldLabels.input_price_per_mtok, hint: price },
      { name: 'output_price_per_mtok', label: fieldLabels.output_price_per_mtok, hint: price },
    ],
  },
  {
    pair: [
      {
        name: 'context_length',
        label: fieldLabels.context_length,
        hint: 'Tokens. Empty: not known',
      },
      {
        name: 'cache_ttl_seconds',
        label: fieldLabels.cache_ttl_seconds,
        hint: 'Seconds. Leave empty to disable caching',
      },
    ],
  },
];

class GwModelForm extends RecordForm<ModelRow | null, ModelDraft> {
  protected override draftOf(model: ModelRow | null): ModelDraft {
    return model === null ? blankModel : fromModel(model);
  }

  protected override saveOf(draft: ModelDraft, model: ModelRow | null) {
    if (model === null) {
      const read = modelBody(draft);
      return 'wrong' in read ? read : creationSave(read.body);
    }
    const read = modelChange(draft, model);
    return 'wrong' in read ? read : changeSave(model, read.body);
  }

  protected override fields(): readonly FormRow<ModelDraft>[] {
    return rows;
  }
}

customElements.define('gw-model-form', GwModelForm);
