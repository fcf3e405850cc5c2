// Shows what the usage of a model would have cost with other prices. A button asks, because the answer reads every request.

import { css, html, nothing } from 'lit';

import { call, list } from '../../api/http/call.ts';
import { asFailure } from '../../api/http/failure.ts';
import type { ApiFailure } from '../../api/http/failure.ts';
import type { UsageWhatIf } from '../../api/records.ts';
import { element, state, text as textual } from '../../elements/element.ts';
import '../../elements/error.ts';
import { Resource } from '../../elements/resource.ts';
import { comparedCost, savings } from '../../lib/observe/usage-cost.ts';
import { edgesOf, isoEdges, readRange } from '../../lib/page/range.ts';
import { formatCount, formatMoneyOf, formatNumber } from '../../lib/text/format.ts';
import { base, buttons, controls } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const text = {
  heading: 'What if',
  prices: 'Prices',
  uncached: 'Base price for cached tokens',
  current: 'Present prices of this model',
  ask: 'Compare',
  asking: 'Comparing…',
  saved: 'Saved by cache',
  cost: 'Cost',
  rows: 'Requests',
  none: 'No request of this range can be priced.',
};

type Asked = Readonly<{ prices: string; answer: UsageWhatIf }>;

class GwUsageWhatIf extends element({
  model: textual(),
  /** The range from the address. */
  range: textual(),
  prices: state('uncached'),
  asked: state<Asked | null>(null),
  failure: state<ApiFailure | null>(null),
  isAsking: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    record,
    css`
      :host {
        display: block;
        margin-bottom: var(--space-4);
      }

      form {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: var(--space-3);
        margin-bottom: var(--space-3);
      }

      label {
        display: grid;
        flex: 1;
        gap: var(--space-1);
        min-width: 12rem;
        color: var(--text-2);
      }
    `,
  ];
  readonly #models = new Resource(this, (signal) => list('/admin/provider-models', { signal }));

  protected override render() {
    const others = (this.#models.value ?? []).filter(({ name }) => name !== this.model);
    return html`<div class="section"><h3>${text.heading}</h3></div>
      <form @submit=${this.#onSubmit}>
        <label
          >${text.prices}
          <select @change=${this.#onChange}>
            <option value="uncached">${text.uncached}</option>
            <option value="current">${text.current}</option>
            ${others.map(
              ({ name }) => html`<option value=${`of ${name}`}>Prices of ${name}</option>`,
            )}
          </select></label
        >
        <button ?disabled=${this.isAsking}>${this.isAsking ? text.asking : text.ask}</button>
      </form>
      ${this.failure === null ? nothing : html`<gw-error .failure=${this.failure}></gw-error>`}
      <div role="status">${this.asked === null ? nothing : this.#answer(this.asked)}</div>`;
  }

  #answer({ prices, answer }: Asked) {
    const { unpriced_rows: unpriced, newly_priced_rows: added, costs } = answer;
    if (costs.length === 0 && unpriced === 0) return html`<p class="quiet">${text.none}</p>`;
    const isSaved = prices === 'uncached' && costs.length > 0;
    return html`<dl>
      ${isSaved ? this.#fact(text.saved, savings(costs)) : nothing}
      ${costs.map((one) => this.#fact(text.cost, comparedCost(one)))}
      ${costs
        .filter((one) => one.newly_priced_cost_micros > 0)
        .map((one) =>
          this.#fact(
            'Now unpriced',
            `${formatMoneyOf(one.newly_priced_cost_micros, one.currency)} for ${formatCount(added, 'request')}`,
          ),
        )}
      ${this.#fact(text.rows, comparedRows(answer))}
    </dl>`;
  }

  #fact(name: string, value: string) {
    return html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  }

  readonly #onChange = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) this.prices = target.value;
  };

  readonly #onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const range = readRange(this.range);
    if (range === null || this.isAsking) return;
    const { model, prices } = this;
    this.isAsking = true;
    this.failure = null;
    this.asked = null;
    try {
      const other = prices.startsWith('of ') ? { card_of: prices.slice(3) } : { card: prices };
      const query = { ...isoEdges(edgesOf(range, Date.now())), model, ...other };
      const { body } = await call('GET', '/admin/usage/what-if', { query });
      this.asked = { prices, answer: body };
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.isAsking = false;
    }
  };
}

function comparedRows({ rows, unpriced_rows, newly_priced_rows }: UsageWhatIf): string {
  const compared = rows - unpriced_rows - newly_priced_rows;
  const text = `${formatNumber(compared)} of ${formatNumber(rows)} compared`;
  if (unpriced_rows === 0) return text;
  return `${text}, ${formatNumber(unpriced_rows)} not covered by these prices`;
}

customElements.define('gw-usage-what-if', GwUsageWhatIf);
