// Defines the form of the flow control of a backend.

import { html } from 'lit';

import { backendFields } from '../../../src/fields/model.ts';
import { flowForm } from '../../lib/providers/backend-draft.ts';
import type { FlowDraft } from '../../lib/providers/backend-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { fieldRows } from '../../parts/form-rows.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import type { ModelRow } from './load.ts';
import { flowSave } from './saves.ts';

const { default_max_tokens, ...flow } = backendFields;

const rows: readonly FormRow<FlowDraft>[] = [
  ...fieldRows({ ...flow, default_max_tokens }),
  html`<p class="notice">Replicas apply the change with their next snapshot.</p>`,
];

export const flowFormOf = (model: ModelRow) =>
  recordForm({
    draft: model.backend === null ? flowForm.blank : flowForm.write(model.backend),
    fields: () => rows,
    save: (draft) =>
      whenRead(flowForm.change(draft, model.backend ?? {}), (body) => flowSave(model, body)),
  });
