// Defines the form that attaches a model to a provider, or to a new endpoint, whose models are listed before it is saved.

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
    hint: 'Base URL including the version, for example https://api.example.com/v1. A provider with this address and credential is reused',
    mono: true,
    required: true,
  },
  keyField('API key'),
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
        choices: orNone('New endpoint', recordChoices(providers)),
      },
      {
        name: 'upstream_model',
        label: fieldLabels.upstream_model,
        placeholder: model.name,
        hint: 'Leave empty to use the name of the model',
        mono: true,
      },
      ...(provider_id === '' ? endpoint : []),
    ],
    save: (draft) => attachSave(model, attachBody(draft)),
  });
