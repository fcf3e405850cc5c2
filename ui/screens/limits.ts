// Limits and budgets: who is capped, what is used of it, and which cap is nearer. Whoever is not listed is unlimited.

import { LitElement, html, nothing } from 'lit';

import type { ApiFailure } from '../api/failure.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/field.ts';
import type { FieldInput } from '../elements/field.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import '../elements/table.ts';
import type { Column } from '../elements/table.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import { capStates, capStateOf, nearerCap, shareText } from '../lib/budget.ts';
import { adminCurl } from '../lib/copy-as.ts';
import { formatNumber } from '../lib/format.ts';
import { withQuery } from '../lib/place.ts';
import { moneyBar, tokensBar } from '../parts/budget.ts';
import '../parts/save.ts';
import type { Save } from '../parts/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
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
    label: 'Nearer cap',
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

class ScreenLimits extends LitElement {
  static override properties = { save: { state: true }, failure: { state: true } };
  static override styles = [base, buttons];
  declare save: Save | null;
  declare failure: ApiFailure | null;
  readonly #place = new Watch(this, place);
  readonly #capped = new Resource(this, loadCapped, { pollMs: 15_000 });

  constructor() {
    super();
    this.save = null;
    this.failure = null;
  }

  protected override render() {
    const { value: all, failure } = this.#capped;
    const rows = all?.filter(isCapped);
    return html`<gw-page
        heading="Limits and budgets"
        about="How fast principals may go, and how much they may spend. Who is not listed is unlimited."
      >
        ${
          this.#isWritable()
            ? html`<a slot="actions" class="button primary" href=${this.#link('new')}
                ><gw-icon name="plus"></gw-icon>Set a cap</a
              >`
            : nothing
        }
        <gw-error retriable .failure=${failure} @gw-retry=${() => this.#capped.reload()}></gw-error>
        ${rows === undefined ? nothing : rows.length === 0 ? this.#empty() : this.#table(rows)}
      </gw-page>
      ${this.#drawer(all ?? [])}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#closeSave}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${this.#words()}</gw-save
      >`;
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: 'limits', rest, query: this.#place.value.query });
  }

  #empty() {
    const command = adminCurl({
      origin: globalThis.location.origin,
      method: 'PUT',
      path: '/admin/principals/1/budget',
      body: { window: 'monthly', cost_total_micros: 250_000_000 },
    });
    return html`<gw-empty heading="Everybody is unlimited" icon="gauge" command=${command}>
      <span slot="about"
        >A budget caps what a principal spends in a day, a week or a month, in money or in tokens; a
        rate limit caps what it sends in a minute.</span
      >
      ${
        this.#isWritable()
          ? html`<a class="button primary" href=${this.#link('new')}>Set a cap</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table(rows: readonly Capped[]) {
    const chosen = this.#place.value.query['state'] ?? '';
    const shown = chosen === '' ? rows : rows.filter(({ budget }) => capStateOf(budget) === chosen);
    return html`<gw-table
      label="Limits and budgets"
      noun="principal"
      .columns=${columns}
      .rows=${shown}
      .view=${tableView()}
      .hrefOf=${(one: Capped) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#capped.failure !== null}
      @gw-view=${keepView}
      ><gw-segments
        slot="bar"
        label="Principals by what is used"
        .segments=${this.#segments(rows)}
        chosen=${chosen}
      ></gw-segments
    ></gw-table>`;
  }

  #segments(rows: readonly Capped[]) {
    const counts = Map.groupBy(rows, ({ budget }) => capStateOf(budget));
    const href = (value: string): string => {
      const { screen, query } = withQuery(this.#place.value, { state: value, page: null });
      return linkTo({ screen, query });
    };
    return [
      { value: '', label: 'all', count: rows.length, href: href('') },
      ...capStates.map(({ value, label }) => ({
        value,
        label,
        count: counts.get(value)?.length ?? 0,
        href: href(value),
      })),
    ];
  }

  #opened(all: readonly Capped[]): Capped | null {
    return all.find(({ id }) => String(id) === this.#place.value.rest[0]) ?? null;
  }

  /** `/new`, `/7`, `/7/limits`, `/7/budget`: the id is that of the principal. */
  #drawer(all: readonly Capped[]) {
    const [first, second] = this.#place.value.rest;
    const capped = this.#opened(all);
    const isNew = first === 'new' && this.#isWritable();
    const part = second === 'limits' || second === 'budget' ? second : null;
    const isForm = part !== null && this.#isWritable();
    const heading = part === 'limits' ? 'Rate limits of ' : part === 'budget' ? 'Budget of ' : '';
    return html`<gw-drawer
      heading=${isNew ? 'Set a cap' : `${heading}${capped?.name ?? ''}`}
      ?open=${isNew || capped !== null}
      @gw-close=${this.#close}
    >
      ${isNew ? this.#choice(all) : nothing}
      ${
        capped !== null && isForm
          ? html`<gw-caps-form
              .capped=${capped}
              .of=${part}
              .failure=${this.failure}
              @gw-review=${({ detail }: CustomEvent<Save>) => this.#ask(detail)}
              @gw-cancel=${() => openRest([capped.id])}
            ></gw-caps-form>`
          : nothing
      }
      ${
        capped !== null && !isForm
          ? html`<gw-caps-record
              .capped=${capped}
              ?writable=${this.#isWritable()}
              @gw-remove=${({ detail }: CustomEvent<string>) =>
                this.#ask(detail === 'limits' ? limitsRemovalOf(capped) : budgetRemovalOf(capped))}
            ></gw-caps-record>`
          : nothing
      }
    </gw-drawer>`;
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

  #ask(save: Save): void {
    this.failure = null;
    this.save = save;
  }

  #words() {
    if (this.save === null) return nothing;
    if (this.save.danger !== true) return html`<p>It holds from the next request on.</p>`;
    return this.save.heading.includes('budget')
      ? html`<p>
          It may spend without a cap from then on, and what it has spent of the budget is forgotten.
        </p>`
      : html`<p>It may send as fast as it can from then on.</p>`;
  }

  readonly #close = (): void => {
    this.failure = null;
    openRest([]);
  };

  readonly #closeSave = (): void => {
    this.save = null;
  };

  readonly #onSaved = async (): Promise<void> => {
    const [id] = this.#place.value.rest;
    this.save = null;
    await this.#capped.reload();
    openRest(id === undefined ? [] : [id]);
  };

  /** Back to the form, to the field that is wrong. */
  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (this.#place.value.rest[1] === undefined) return;
    this.save = null;
    this.failure = detail;
  };
}

customElements.define('gw-screen-limits', ScreenLimits);
