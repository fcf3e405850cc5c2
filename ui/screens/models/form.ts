// The form of a model, for a new one and for one that is there.

import { html } from 'lit';

import { blankModel, fromModel, modelBody, modelChange } from '../../lib/model-draft.ts';
import type { ModelDraft } from '../../lib/model-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { ModelRow } from './load.ts';
import { changeSave, creationSave } from './saves.ts';

const price = 'US dollars per million tokens. Empty is unpriced';

export class GwModelForm extends RecordForm<ModelRow | null, ModelDraft> {
  protected override draftOf(model: ModelRow | null): ModelDraft {
    return model === null ? blankModel : fromModel(model);
  }

  protected override saveOf(draft: ModelDraft, model: ModelRow | null) {
    if (model === null) {
      const read = modelBody(draft);
      return 'wrong' in read ? read : creationSave(read.body);
    }
    const read = modelChange(draft, model);
    return 'wrong' in read ? read : changeSave(model, read.body);
  }

  protected override fields(draft: ModelDraft) {
    return html`<gw-field
        name="name"
        label="Name"
        hint="What rules and pools call it; a provider may know it by another"
        required
        mono
        .value=${draft.name}
      ></gw-field>
      <gw-field name="description" label="Description" .value=${draft.description}></gw-field>
      <div class="pair">
        <gw-field
          name="input_price_per_mtok"
          label="Input price"
          hint=${price}
          .value=${draft.input_price_per_mtok}
        ></gw-field>
        <gw-field
          name="output_price_per_mtok"
          label="Output price"
          hint=${price}
          .value=${draft.output_price_per_mtok}
        ></gw-field>
      </div>
      <div class="pair">
        <gw-field
          name="context_length"
          label="Context length"
          hint="Tokens. Empty is not known"
          .value=${draft.context_length}
        ></gw-field>
        <gw-field
          name="cache_ttl_seconds"
          label="Answers are cached for"
          hint="Seconds. Empty caches nothing"
          .value=${draft.cache_ttl_seconds}
        ></gw-field>
      </div>`;
  }
}

customElements.define('gw-model-form', GwModelForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-model-form': GwModelForm;
  }
}
