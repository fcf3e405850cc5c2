// The forms of rate limits and of a budget: each cap a field, where empty is unlimited.

import { LitElement, html } from 'lit';

import { wrongField } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { budgetBody, fromBudget, fromLimits, limitsBody } from '../../lib/limits-draft.ts';
import type { BudgetDraft, LimitsDraft } from '../../lib/limits-draft.ts';
import type { Save } from '../../parts/save.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { Capped } from './load.ts';
import { budgetOf, limitsOf } from './saves.ts';

const windows = [
  { value: 'daily', label: 'Daily: 24 hours at a time' },
  { value: 'weekly', label: 'Weekly: 7 days at a time' },
  { value: 'monthly', label: 'Monthly: 30 days at a time' },
];

const unlimited = 'Empty is unlimited';

/** Tells by `gw-review` with the save, and by `gw-cancel`. */
export class GwCapsForm extends LitElement {
  static override properties = {
    capped: { attribute: false },
    of: { attribute: false },
    failure: { attribute: false },
    wrong: { state: true },
    limits: { state: true },
    budget: { state: true },
  };
  static override styles = [base, record];
  declare capped: Capped;
  declare of: 'limits' | 'budget';
  declare failure: ApiFailure | null;
  /** What the page itself found. */
  declare wrong: ApiFailure | null;
  declare limits: LimitsDraft;
  declare budget: BudgetDraft;

  constructor() {
    super();
    this.of = 'budget';
    this.failure = null;
    this.wrong = null;
    this.limits = fromLimits(null);
    this.budget = fromBudget(null);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.limits = fromLimits(this.capped.limits);
    this.budget = fromBudget(this.capped.budget);
  }

  protected override render() {
    return html`<gw-form
      verb="Review change"
      .failure=${this.wrong ?? this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      ${this.of === 'limits' ? this.#limits() : this.#budget()}
    </gw-form>`;
  }

  #limits() {
    return html`<gw-field
        name="requests_per_min"
        label="Requests a minute"
        hint=${unlimited}
        .value=${this.limits.requests_per_min}
      ></gw-field>
      <gw-field
        name="tokens_per_min"
        label="Tokens a minute"
        hint=${unlimited}
        .value=${this.limits.tokens_per_min}
      ></gw-field>`;
  }

  #budget() {
    return html`<gw-field
        name="window"
        label="Window"
        type="select"
        hint="One after the other, from the moment the budget was made"
        required
        .choices=${windows}
        .value=${this.budget.window}
      ></gw-field>
      <gw-field
        name="cost_total_micros"
        label="Money, in US dollars"
        hint=${unlimited}
        .value=${this.budget.cost_total_micros}
      ></gw-field>
      <gw-field
        name="tokens_total"
        label="Tokens"
        hint=${unlimited}
        .value=${this.budget.tokens_total}
      ></gw-field>
      ${
        this.capped.budget === null
          ? ''
          : html`<p class="notice">
              What is spent, and the start of the window, stay as they are.
            </p>`
      }`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    if (name in this.limits) this.limits = { ...this.limits, [name]: value };
    if (name in this.budget) this.budget = { ...this.budget, [name]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const read = this.of === 'limits' ? this.#readLimits() : this.#readBudget();
    if (read !== null) this.dispatchEvent(new CustomEvent<Save>('gw-review', { detail: read }));
  };

  #readLimits(): Save | null {
    const read = limitsBody(this.limits);
    if ('body' in read) return limitsOf(this.capped, read.body);
    this.wrong = wrongField(read.wrong.field, read.wrong.message);
    return null;
  }

  #readBudget(): Save | null {
    const read = budgetBody(this.budget);
    if ('body' in read) return budgetOf(this.capped, read.body);
    this.wrong = wrongField(read.wrong.field, read.wrong.message);
    return null;
  }
}

customElements.define('gw-caps-form', GwCapsForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-caps-form': GwCapsForm;
  }
}
