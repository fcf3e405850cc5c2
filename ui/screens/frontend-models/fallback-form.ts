// Defines the form of the global fallback model.

import { html } from 'lit';

import { orNone, recordChoices } from '../../lib/page/choices.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { fallbackSave } from './saves.ts';

type Named = Readonly<{ id: number; name: string }>;
export const fallbackFormOf = (fallback: Named | null, models: readonly Named[]) =>
  recordForm({
    draft: { model_id: fallback === null ? '' : String(fallback.id) },
    lead: html`<p class="notice">
      A request goes to this model if all targets of its frontend model fail and the caller can
      invoke it.
    </p>`,
    fields: () => [
      {
        name: 'model_id',
        label: 'Global fallback model',
        type: 'select',
        unmarked: true,
        choices: orNone('None (reject the request)', recordChoices(models)),
      },
    ],
    save: ({ model_id }) =>
      fallbackSave(fallback, models.find(({ id }) => String(id) === model_id) ?? null),
  });
