// The form for the flow control of a backend: how many requests run at once, how many wait, and for how long.

import { html } from 'lit';

import { fieldLabels } from '../../lib/text/field-label.ts';
import { flowChange, fromFlow } from '../../lib/providers/backend-draft.ts';
import type { FlowDraft } from '../../lib/providers/backend-draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { ModelRow } from './load.ts';
import { flowSave } from './saves.ts';

const unset = {
  admission_max_concurrent: null,
  admission_high_water: null,
  admission_max_queued: null,
  admission_max_wait_seconds: null,
  upstream_timeout_seconds: null,
  default_max_tokens: null,
};

const rows: readonly FormRow<FlowDraft>[] = [
  {
    pair: [
      {
        name: 'admission_max_concurrent',
        label: fieldLabels.admission_max_concurrent,
        hint: 'Per replica. Empty: no limit. Start with the capacity of the engine divided by the number of replicas.',
      },
      {
        name: 'admission_high_water',
        label: fieldLabels.admission_high_water,
        hint: 'Above this length of the engine’s own queue, gw halves the limit. Default: 4.',
      },
    ],
  },
  {
    pair: [
      {
        name: 'admission_max_queued',
        label: fieldLabels.admission_max_queued,
        hint: 'Requests that wait at the gateway. Default: 64.',
      },
      {
        name: 'admission_max_wait_seconds',
        label: fieldLabels.admission_max_wait_seconds,
        hint: 'Seconds. Requests that wait longer get status 503. Default: 30.',
      },
    ],
  },
  {
    pair: [
      {
        name: 'upstream_timeout_seconds',
        label: fieldLabels.upstream_timeout_seconds,
        hint: 'Seconds. Leave empty to use the timeout of the gateway.',
      },
      {
        name: 'default_max_tokens',
        label: fieldLabels.default_max_tokens,
        hint: 'Sent to protocols that require a maximum when the caller sets none.',
      },
    ],
  },
  html`<p class="notice">Replicas apply the change with their next snapshot.</p>`,
];

class GwFlowForm extends RecordForm<ModelRow, FlowDraft> {
  protected override draftOf({ backend }: ModelRow): FlowDraft {
    return fromFlow(backend ?? unset);
  }

  protected override saveOf(draft: FlowDraft, model: ModelRow) {
    const read = flowChange(draft, model.backend ?? unset);
    return 'wrong' in read ? read : flowSave(model, read.body);
  }

  protected override fields(): readonly FormRow<FlowDraft>[] {
    return rows;
  }
}

customElements.define('gw-flow-form', GwFlowForm);
