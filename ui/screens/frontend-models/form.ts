// Defines the form of a frontend model. Rules have their own forms.

import type { FrontendModel } from '../../api/records.ts';
import type { Option } from '../../elements/form/picks.ts';
import { frontendModelForm } from '../../lib/routing/frontend-model-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { frontendModelCreation, frontendModelUpdate } from './saves.ts';

/** `options` are the possible targets. */
export const frontendModelFormOf = (row: FrontendModel | null, options: readonly Option[]) =>
  recordForm({
    isNew: row === null,
    draft: row === null ? frontendModelForm.blank : frontendModelForm.write(row),
    fields: () => [
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
        placeholder: 'Model or pool',
        ordered: true,
        options,
      },
      {
        name: 'max_model_len',
        label: 'Context window shown to clients',
        hint: 'Tokens. Default: smallest window of its models',
      },
    ],
    save: (draft) =>
      row === null
        ? whenRead(frontendModelForm.read(draft), frontendModelCreation)
        : whenRead(frontendModelForm.change(draft, row), (body) => frontendModelUpdate(row, body)),
  });
