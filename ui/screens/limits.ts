// Limits and budgets: who is capped, what is used of it, and which cap is nearer. Whoever is not listed is unlimited.

import { html } from 'lit';

import '../elements/empty.ts';
import '../elements/form/field.ts';
import type { FieldInput } from '../elements/form/field.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import type { Column } from '../elements/table/table.ts';
import '../elements/time.ts';
import { capStates, capStateOf, nearerCap, shareText } from '../lib/access/budget.ts';
import { adminCurl } from '../lib/saves/copy-as.ts';
import { formatNumber } from '../lib/text/format.ts';
import { moneyBar, tokensBar } from '../parts/budget.ts';
import { historyOf } from '../parts/entity-history.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { openRest } from '../state/location.ts';
import './limits/form.ts';
import { isCapped, loadCapped } from './limits/load.ts';
import type { Capped } from './limits/load.ts';
import './limits/record.ts';
import { budgetRemovalOf, limitsRemovalOf } from './limits/saves.ts';

const unlimited = html`<span class="quiet">unlimited</span>`;
const rateCell = (value: number | null | undefined) =>
  value === null || value === undefined ? unlimited : formatNumber(value);

const columns: readonly Column<Capped>[] = [
  { id: 'name', label: 'Principal', value: ({ name }) => name },
  {
    id: 'nearer',
    label: 'Closest limit',
    value: ({ budget }) => (budget === null ? null : (nearerCap(budget)?.share ?? null)),
    cell: ({ budget }) => {
      const nearer = budget === null ? null : nearerCap(budget);
      return nearer === null ? unlimited : `${nearer.cap}, ${shareText(nearer.share)}`;
    },
  },
  {
    id: 'money',
    label: 'Money',
    value: ({ budget }) => budget?.cost_used_micros ?? null,
    cell: ({ budget }) => (budget === null ? unlimited : moneyBar(budget)),
  },
  {
    id: 'tokens',
    label: 'Tokens',
    value: ({ budget }) => budget?.tokens_used ?? null,
    cell: ({ budget }) => (budget === null ? unlimited : tokensBar(budget)),
  },
  { id: 'window', label: 'Window', value: ({ budget }) => budget?.window ?? null },
  {
    id: 'window_end',
    label: 'Ends',
    value: ({ budget }) => budget?.window_end ?? null,
    cell: ({ budget }) =>
      typeof budget?.window_end === 'string'
        ? html`<gw-time at=${budget.window_end}></gw-time>`
        : '',
  },
  {
    id: 'requests_per_min',
    label: 'Requests/min',
    end: true,
    value: ({ limits }) => limits?.requests_per_min ?? null,
    cell: ({ limits }) => rateCell(limits?.requests_per_min),
  },
  {
    id: 'tokens_per_min',
    label: 'Tokens/min',
    end: true,
    value: ({ limits }) => limits?.tokens_per_min ?? null,
    cell: ({ limits }) => rateCell(limits?.tokens_per_min),
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenLimits extends RecordScreen {
  protected override readonly screen = 'limits';
  readonly #capped = new Resource(this, loadCapped, { pollMs: 15_000 });

  protected override reload(): Promise<void> {
    return this.#capped.reload();
  }

  protected override render() {
    const { value: all } = this.#capped;
    const rows = all?.filter(isCapped) ?? [];
    return html`<gw-page
        heading="Limits and budgets"
        about="Rate limits and budgets. Principals that are not listed have no limits."
      >
        ${this.adder('Add limit', { inHead: true })} ${troubleOf(this.#capped)}
        ${loaded(this.#capped, () => (rows.length === 0 ? this.#empty() : this.#list(rows)))}
      </gw-page>
      ${this.#opened(all ?? [])} ${this.asking()}`;
  }

  #empty() {
    const command = adminCurl({
      origin: globalThis.location.origin,
      method: 'PUT',
      path: '/admin/principals/1/budget',
      body: { window: 'monthly', cost_total_micros: 250_000_000 },
    });
    return html`<gw-empty heading="No limits or budgets yet" icon="gauge" command=${command}>
      <span slot="about"
        >A budget caps what a principal spends in a day, a week or a month, in money or in tokens; a
        rate limit caps what it sends in a minute.</span
      >
      ${this.adder('Add limit', { inHead: false })}
    </gw-empty>`;
  }

  #list(rows: readonly Capped[]) {
    const chosen = this.query['state'] ?? '';
    const shown = chosen === '' ? rows : rows.filter(({ budget }) => capStateOf(budget) === chosen);
    return this.table({
      label: 'Limits and budgets',
      noun: 'principal',
      columns,
      rows: shown,
      isStale: this.#capped.failure !== null,
      bar: html`<gw-segments
        slot="bar"
        label="Principals by what is used"
        .segments=${this.#segments(rows)}
        chosen=${chosen}
      ></gw-segments>`,
    });
  }

  #segments(rows: readonly Capped[]) {
    const counts = Map.groupBy(rows, ({ budget }) => capStateOf(budget));
    return [
      { value: '', label: 'all', count: rows.length, href: this.viewLink({ state: '' }) },
      ...capStates.map(({ value, label }) => ({
        value,
        label,
        count: counts.get(value)?.length ?? 0,
        href: this.viewLink({ state: value }),
      })),
    ];
  }

  /** `/new`, `/7`, `/7/limits`, `/7/budget`: the id is that of the principal. */
  #opened(all: readonly Capped[]) {
    const capped = this.openedIn(all);
    const part = this.aspect();
    const prefix = part === 'limits' ? 'Rate limits of ' : part === 'budget' ? 'Budget of ' : '';
    return this.drawer({
      heading: this.isNew() ? 'Add limit' : `${prefix}${capped?.name ?? ''}`,
      content: this.isNew() ? this.#choice(all) : capped === null ? null : this.#part(capped),
    });
  }

  #part(capped: Capped) {
    const { failure } = this;
    const part = this.aspect();
    if (part === 'limits') {
      return html`<gw-limits-form .row=${capped} .failure=${failure}></gw-limits-form>`;
    }
    if (part === 'budget') {
      return html`<gw-budget-form .row=${capped} .failure=${failure}></gw-budget-form>`;
    }
    return html`<gw-caps-record
        .capped=${capped}
        ?writable=${this.isWritable()}
        @gw-remove=${({ detail }: CustomEvent<string>) =>
          this.ask(detail === 'limits' ? limitsRemovalOf(capped) : budgetRemovalOf(capped))}
      ></gw-caps-record
      >${historyOf('principal', capped)}`;
  }

  #choice(all: readonly Capped[]) {
    return html`<gw-field
      name="principal"
      label="Of which principal"
      type="select"
      required
      .choices=${[
        { value: '', label: 'Choose one' },
        ...all.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      @gw-input=${({ detail }: CustomEvent<FieldInput>) =>
        detail.value === '' ? undefined : openRest([detail.value])}
    ></gw-field>`;
  }
}

customElements.define('gw-screen-limits', ScreenLimits);
