// The form of a model, for a new one and for one that is there.

import { LitElement, html } from 'lit';

import { wrongField } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { blankModel, fromModel, modelBody, modelChange } from '../../lib/model-draft.ts';
import type { ModelDraft } from '../../lib/model-draft.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { ModelRow } from './load.ts';

/** Tells by `gw-review` with the body that is to be sent, and by `gw-cancel`. */
export class GwModelForm extends LitElement {
  static override properties = {
    model: { attribute: false },
    failure: { attribute: false },
    busy: { type: Boolean },
    wrong: { state: true },
    draft: { state: true },
  };
  static override styles = [base, record];
  /** The one that is changed; null is a new one. */
  declare model: ModelRow | null;
  declare failure: ApiFailure | null;
  declare busy: boolean;
  /** What the page itself found. */
  declare wrong: ApiFailure | null;
  declare draft: ModelDraft;

  constructor() {
    super();
    this.model = null;
    this.failure = null;
    this.busy = false;
    this.wrong = null;
    this.draft = blankModel;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.draft = this.model === null ? blankModel : fromModel(this.model);
  }

  protected override render() {
    const { draft } = this;
    const price = 'US dollars per million tokens. Empty is unpriced';
    return html`<gw-form
      verb=${this.model === null ? 'Add model' : 'Review change'}
      ?busy=${this.busy}
      .failure=${this.wrong ?? this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field
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
      </div>
    </gw-form>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    this.draft = { ...this.draft, [name]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const { model, draft } = this;
    const read = model === null ? modelBody(draft) : modelChange(draft, model);
    if ('wrong' in read) this.wrong = wrongField(read.wrong.field, read.wrong.message);
    else this.dispatchEvent(new CustomEvent('gw-review', { detail: read.body }));
  };
}

customElements.define('gw-model-form', GwModelForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-model-form': GwModelForm;
  }
}
