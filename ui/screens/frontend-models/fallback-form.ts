// The form of the fallback model: what every chain ends in, set to a model or cleared.

import { html } from 'lit';

import { orNone, recordChoices } from '../../lib/page/choices.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { fallbackSave } from './saves.ts';

type Named = Readonly<{ id: number; name: string }>;
type Row = Readonly<{ fallback: Named | null; models: readonly Named[] }>;
/** The id; empty is none. */
type Draft = Readonly<{ model_id: string }>;

class GwFallbackForm extends RecordForm<Row, Draft> {
  protected override draftOf({ fallback }: Row): Draft {
    return { model_id: fallback === null ? '' : String(fallback.id) };
  }

  protected override lead() {
    return html`<p class="notice">
      When nothing that a frontend model leads to can answer, the request goes to this model, if the
      caller may invoke it.
    </p>`;
  }

  protected override fields(_: Draft, { models }: Row): readonly FormRow<Draft>[] {
    return [
      {
        name: 'model_id',
        label: 'Fallback model',
        type: 'select',
        unmarked: true,
        choices: orNone('None: such a request is refused', recordChoices(models)),
      },
    ];
  }

  protected override saveOf(draft: Draft, { fallback, models }: Row) {
    const chosen = models.find(({ id }) => String(id) === draft.model_id) ?? null;
    return fallbackSave(fallback, chosen);
  }
}

customElements.define('gw-fallback-form', GwFallbackForm);
