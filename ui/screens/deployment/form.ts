// The form of the managed deployment: what may be changed of it here.

import type { Deployment } from '../../api/records.ts';
import { choicesOf } from '../../lib/page/choices.ts';
import { draftOf, numberFields, policies } from '../../lib/observe/deployment.ts';
import type { DeploymentDraft } from '../../lib/observe/deployment.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { changeSave } from './saves.ts';

const rows: readonly FormRow<DeploymentDraft>[] = [
  { name: 'image', label: 'Image', required: true, mono: true },
  {
    name: 'policy',
    label: 'Balancing',
    type: 'select',
    hint: 'How a replica chooses among backends of one model',
    required: true,
    choices: choicesOf(policies),
  },
  { name: 'autoscaling_enabled', label: 'Autoscaling', type: 'checkbox' },
  {
    pair: numberFields.map(
      ({ name, label, hint }) =>
        ({ name, label, hint, type: 'number', placeholder: 'default' }) as const,
    ),
  },
];

class GwDeploymentForm extends RecordForm<Deployment, DeploymentDraft> {
  protected override draftOf(deployment: Deployment): DeploymentDraft {
    return draftOf(deployment);
  }

  protected override saveOf(draft: DeploymentDraft, deployment: Deployment) {
    return changeSave(deployment, draft);
  }

  protected override fields(): readonly FormRow<DeploymentDraft>[] {
    return rows;
  }
}

customElements.define('gw-deployment-form', GwDeploymentForm);
