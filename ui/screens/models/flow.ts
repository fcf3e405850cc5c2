// The form of a backend's flow control: how many requests it is sent at once, how many wait, and for how long.

import { LitElement, html } from 'lit';

import { wrongField } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { flowChange, fromFlow } from '../../lib/backend-draft.ts';
import type { FlowDraft } from '../../lib/backend-draft.ts';
import type { Save } from '../../parts/save.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
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

type Field = Readonly<{ name: keyof FlowDraft; label: string; hint: string }>;

const fields: readonly (readonly Field[])[] = [
  [
    {
      name: 'admission_max_concurrent',
      label: 'Requests at once',
      hint: 'Of one replica. Empty turns the gate off. A start: what the engine runs at once, by the number of replicas',
    },
    {
      name: 'admission_high_water',
      label: 'High water',
      hint: "Where the engine's own queue halves the ceiling. Empty is 4",
    },
  ],
  [
    {
      name: 'admission_max_queued',
      label: 'Queued at most',
      hint: 'Requests that wait at the gateway. Empty is 64',
    },
    {
      name: 'admission_max_wait_seconds',
      label: 'Waiting at most',
      hint: 'Seconds, then 503. Empty is 30',
    },
  ],
  [
    {
      name: 'upstream_timeout_seconds',
      label: 'Timeout',
      hint: 'Seconds. Empty is that of the gateway',
    },
    {
      name: 'default_max_tokens',
      label: 'Answer at most',
      hint: 'Tokens, for protocols that have to be told when the caller does not say',
    },
  ],
];

/** Tells by `gw-review` with the save, and by `gw-cancel`. */
export class GwFlowForm extends LitElement {
  static override properties = {
    model: { attribute: false },
    failure: { attribute: false },
    wrong: { state: true },
    draft: { state: true },
  };
  static override styles = [base, record];
  declare model: ModelRow;
  declare failure: ApiFailure | null;
  /** What the page itself found. */
  declare wrong: ApiFailure | null;
  declare draft: FlowDraft;

  constructor() {
    super();
    this.failure = null;
    this.wrong = null;
    this.draft = fromFlow(unset);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.draft = fromFlow(this.model.backend ?? unset);
  }

  protected override render() {
    return html`<gw-form
      verb="Review change"
      .failure=${this.wrong ?? this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      ${fields.map(
        (pair) =>
          html`<div class="pair">
            ${pair.map(
              ({ name, label, hint }) =>
                html`<gw-field
                  name=${name}
                  label=${label}
                  hint=${hint}
                  .value=${this.draft[name]}
                ></gw-field>`,
            )}
          </div>`,
      )}
      <p class="notice">Replicas take it when they next ask for the snapshot.</p>
    </gw-form>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    this.draft = { ...this.draft, [name]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const read = flowChange(this.draft, this.model.backend ?? unset);
    if ('wrong' in read) {
      this.wrong = wrongField(read.wrong.field, read.wrong.message);
      return;
    }
    const detail = flowSave(this.model, read.body);
    this.dispatchEvent(new CustomEvent<Save>('gw-review', { detail }));
  };
}

customElements.define('gw-flow-form', GwFlowForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-flow-form': GwFlowForm;
  }
}
