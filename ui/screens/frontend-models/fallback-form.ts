// The form of the fallback model: what every chain ends in, set to a model or cleared.

import { html } from 'lit';

import { orNone, recordChoices } from '../../lib/page/choices.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { fallbackSave } from './saves.ts';

type Named = Readonly<{ id: number; name: string }>;
export const fallbackFormOf = (fallback: Named | null, models: readonly Named[]) =>
  recordForm({
    draft: { model_id: fallback === null ? '' : String(fallback.id) },
    lead: html`<p class="notice">
      When nothing that a frontend model leads to can answer, the request goes to this model, if the
      caller may invoke it.
    </p>`,
    fields: () => [
      {
        name: 'model_id',
        label: 'Fallback model',
        type: 'select',
        unmarked: true,
        choices: orNone('None: such a request is refused', recordChoices(models)),
      },
    ],
    save: ({ model_id }) =>
      fallbackSave(fallback, models.find(({ id }) => String(id) === model_id) ?? null),
  });
