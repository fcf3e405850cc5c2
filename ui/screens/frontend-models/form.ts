// The form of a frontend model, for a new one and for one that is there. Its rules have forms of their own.

import type { FrontendModel } from '../../api/records.ts';
import type { Option } from '../../elements/form/picks.ts';
import { frontendModelForm } from '../../lib/routing/frontend-model-draft.ts';
import type { FrontendModelDraft } from '../../lib/routing/frontend-model-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { frontendModelCreation, frontendModelUpdate } from './saves.ts';

class GwFrontendModelForm extends RecordForm<FrontendModel | null, FrontendModelDraft> {
  static override properties = { ...RecordForm.properties, options: { attribute: false } };
  /** What a target can be. */
  declare options: readonly Option[];

  constructor() {
    super();
    this.row = null;
    this.options = [];
  }

  protected override draftOf(row: FrontendModel | null): FrontendModelDraft {
    return row === null ? frontendModelForm.blank : frontendModelForm.write(row);
  }

  protected override fields(
    _: FrontendModelDraft,
    row: FrontendModel | null,
  ): readonly FormRow<FrontendModelDraft>[] {
    return [
      {
        name: 'name',
        label: 'Name',
        hint:
          row === null
            ? 'Clients send this as `model`. Add rules next.'
            : 'Clients send this as `model`. Requests with the old name will be rejected.',
        required: true,
        mono: true,
      },
      { name: 'description', label: 'Description' },
      {
        name: 'default_targets',
        label: 'When no rule matches',
        type: 'picks',
        hint: 'Tried in order. If empty, the global fallback is used.',
        placeholder: 'Name of a model or a pool',
        ordered: true,
        options: this.options,
      },
      {
        name: 'max_model_len',
        label: 'Context window shown to clients',
        hint: 'Tokens. Default: smallest window of its models',
      },
    ];
  }

  protected override saveOf(draft: FrontendModelDraft, row: FrontendModel | null) {
    return row === null
      ? whenRead(frontendModelForm.read(draft), frontendModelCreation)
      : whenRead(frontendModelForm.change(draft, row), (body) => frontendModelUpdate(row, body));
  }
}

customElements.define('gw-frontend-model-form', GwFrontendModelForm);
