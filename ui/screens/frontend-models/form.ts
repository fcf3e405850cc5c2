// The form of a frontend model, for a new one and for one that is there. Its rules have forms of their own.

import { html } from 'lit';

import type { FrontendModel } from '../../api/frontend-models.ts';
import '../../elements/picks.ts';
import type { Option } from '../../elements/picks.ts';
import {
  blankFrontendModel,
  frontendModelBody,
  frontendModelChange,
  fromFrontendModel,
} from '../../lib/frontend-model-draft.ts';
import type { FrontendModelDraft } from '../../lib/frontend-model-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { frontendModelCreation, frontendModelUpdate } from './saves.ts';

export class GwFrontendModelForm extends RecordForm<FrontendModel | null, FrontendModelDraft> {
  static override properties = { ...RecordForm.properties, options: { attribute: false } };
  /** What a target can be. */
  declare options: readonly Option[];

  constructor() {
    super();
    this.row = null;
    this.options = [];
  }

  protected override draftOf(row: FrontendModel | null): FrontendModelDraft {
    return row === null ? blankFrontendModel : fromFrontendModel(row);
  }

  protected override fields(draft: FrontendModelDraft, row: FrontendModel | null) {
    return html`<gw-field
        name="name"
        label="Name"
        hint=${
          row === null
            ? 'What clients ask for as their model. Its rules are added next'
            : 'What clients ask for as their model: those who ask for the old name are refused then'
        }
        required
        mono
        .value=${draft.name}
      ></gw-field>
      <gw-field name="description" label="Description" .value=${draft.description}></gw-field>
      <gw-picks
        name="default_targets"
        label="When no rule matches"
        hint="Tried first to last. Without any, only the fallback model is left"
        placeholder="Name of a model or a pool"
        ordered
        .options=${this.options}
        .value=${draft.default_targets}
      ></gw-picks>
      <gw-field
        name="max_model_len"
        label="Window shown to clients"
        hint="Tokens. Empty is the smallest of what it can lead to"
        .value=${draft.max_model_len}
      ></gw-field>`;
  }

  protected override saveOf(draft: FrontendModelDraft, row: FrontendModel | null) {
    if (row === null) {
      const read = frontendModelBody(draft);
      return 'wrong' in read ? read : frontendModelCreation(read.body);
    }
    const read = frontendModelChange(draft, row);
    return 'wrong' in read ? read : frontendModelUpdate(row, read.body);
  }
}

customElements.define('gw-frontend-model-form', GwFrontendModelForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-frontend-model-form': GwFrontendModelForm;
  }
}
