// The form by which a model gets its provider: one that stands, or an endpoint, which is asked for its models before it is kept.

import type { Provider } from '../../api/records.ts';
import { attachBody, blankAttach } from '../../lib/providers/backend-draft.ts';
import type { AttachDraft } from '../../lib/providers/backend-draft.ts';
import { orNone, recordChoices } from '../../lib/page/choices.ts';
import { fieldLabels } from '../../lib/text/field-label.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { headerFields, keyField, protocolField } from '../../parts/upstream-fields.ts';
import type { ModelRow } from './load.ts';
import { attachSave } from './saves.ts';

const endpoint: readonly FormRow<AttachDraft>[] = [
  {
    name: 'api_base',
    label: 'Address',
    hint: 'With the version, such as https://api.example.com/v1. A provider at this address with the same credential is taken',
    mono: true,
    required: true,
  },
  keyField('Key'),
  protocolField,
  headerFields,
];

export const attachFormOf = (model: ModelRow, providers: readonly Provider[]) =>
  recordForm<AttachDraft>({
    draft: blankAttach,
    fields: ({ provider_id }) => [
      {
        name: 'provider_id',
        label: 'Provider',
        type: 'select',
        required: true,
        choices: orNone('An endpoint of its own', recordChoices(providers)),
      },
      {
        name: 'upstream_model',
        label: fieldLabels.upstream_model,
        placeholder: model.name,
        hint: 'Empty is its own name',
        mono: true,
      },
      ...(provider_id === '' ? endpoint : []),
    ],
    save: (draft) => attachSave(model, attachBody(draft)),
  });
