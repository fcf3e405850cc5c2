// Defines the form of the managed deployment.

import type { Deployment } from '../../api/records.ts';
import { choicesOf } from '../../lib/page/choices.ts';
import { draftOf, numberFields, policies } from '../../lib/observe/deployment.ts';
import type { DeploymentDraft } from '../../lib/observe/deployment.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { changeSave } from './saves.ts';

const rows: readonly FormRow<DeploymentDraft>[] = [
  { name: 'image', label: 'Image', required: true, mono: true },
  {
    name: 'policy',
    label: 'Balancing',
    type: 'select',
    hint: 'How a replica selects a backend of a model',
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

export const deploymentForm = (deployment: Deployment) =>
  recordForm({
    draft: draftOf(deployment),
    fields: () => rows,
    save: (draft) => changeSave(deployment, draft),
  });
