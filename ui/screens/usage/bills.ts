// Compares a provider's bill with the ledger: a form for the file, the stored reports, and the differences of one report.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { call, list } from '../../api/http/call.ts';
import { ApiFailure } from '../../api/http/failure.ts';
import type { BillDifference, BillReport, WholeBillReport } from '../../api/records.ts';
import '../../elements/badge.ts';
import { element, state, text as textual } from '../../elements/element.ts';
import '../../elements/empty.ts';
import '../../elements/error.ts';
import { loaded, failureNotice } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import '../../elements/time.ts';
import { billCommand, billMoney, differenceWords } from '../../lib/observe/bills.ts';
import { formatCount } from '../../lib/text/format.ts';
import { linkTo, openRest } from '../../state/location.ts';
import { may } from '../../state/session.ts';
import { base, buttons, controls } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const text = {
  about:
    'Compare the cost export of a provider with the ledger, by UTC day and model. The export can be CSV or JSON.',
  file: 'Bill (CSV or JSON)',
  provider: 'Provider',
  all: 'All usage',
  by: 'Compare by',
  submit: 'Compare bill',
  empty: 'No bills compared yet',
  emptyAbout: 'Choose the cost export of a provider, or run the command on a control plane.',
  agree: 'No differences',
  agreeAbout: 'The bill and the ledger agree within the tolerance.',
  back: 'All bills',
};

const reportColumns: readonly Column<BillReport>[] = [
  {
    id: 'created_at',
    label: 'Compared',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
  },
  { id: 'file', label: 'File', value: ({ file_name, format }) => file_name ?? format },
  {
    id: 'days',
    label: 'Days',
    value: ({ first_day, last_day }) => `${first_day} to ${last_day}`,
  },
  {
    id: 'differences',
    label: 'Differences',
    end: true,
    value: ({ difference_count }) => difference_count,
  },
];

const differenceColumns: readonly Column<BillDifference>[] = [
  { id: 'period', label: 'Period', value: ({ period }) => period },
  {
    id: 'model',
    label: 'Model',
    value: ({ model }) => model,
    cell: ({ model, billed_as: names }) =>
      html`<span title=${names.join(', ')}>${model ?? 'no model'}</span>`,
  },
  {
    id: 'kind',
    label: 'Difference',
    value: ({ kind }) => differenceWords[kind],
    cell: ({ kind }) => html`<gw-badge tone="warn">${differenceWords[kind]}</gw-badge>`,
  },
  amountColumn('bill', 'Bill', ({ bill_micros }) => bill_micros),
  amountColumn('ledger', 'Ledger', ({ ledger_micros }) => ledger_micros),
  {
    id: 'percent',
    label: '%',
    end: true,
    value: ({ percent }) => percent,
  },
];

function amountColumn(
  id: string,
  label: string,
  micros: (one: BillDifference) => number | null,
): Column<BillDifference> {
  return {
    id,
    label,
    end: true,
    value: micros,
    cell: (one) => billMoney(micros(one), one.currency),
  };
}

class GwUsageBills extends element({
  /** Empty shows the list of reports. */
  reportId: textual(''),
  failure: state<ApiFailure | null>(null),
  isSending: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    record,
    css`
      form {
        display: grid;
        gap: var(--space-3);
        max-width: 32rem;
        margin-bottom: var(--space-5);
      }

      label {
        display: grid;
        gap: var(--space-1);
      }

      .about {
        max-width: 48rem;
        margin-bottom: var(--space-4);
        color: var(--text-2);
      }
    `,
  ];
  readonly #reports = new Resource(this, async (signal) => {
    const { body } = await call('GET', '/admin/usage/reconciliations', { signal });
    return body;
  });
  readonly #providers = new Resource(this, (signal) => list('/admin/providers', { signal }));
  readonly #report = new Resource(this, async (signal) => {
    if (this.reportId === '') return null;
    const params = { id: this.reportId };
    const { body } = await call('GET', '/admin/usage/reconciliations/{id}', { params, signal });
    return body;
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('reportId') !== undefined) void this.#report.reload();
  }

  protected override render() {
    if (this.reportId !== '') {
      return html`<p>
          <a href=${linkTo({ screen: 'usage', rest: ['bills'] })}>${text.back}</a>
        </p>
        ${failureNotice(this.#report)}
        ${loaded(this.#report, (report) => (report === null ? nothing : this.#whole(report)))}`;
    }
    return html`<p class="about">${text.about}</p>
      ${may('config:write') ? this.#form() : nothing} ${failureNotice(this.#reports)}
      ${loaded(this.#reports, (reports) => this.#list(reports))}`;
  }

  #form() {
    const providers = this.#providers.value ?? [];
    return html`<form @submit=${this.#onSubmit}>
      ${this.failure === null ? nothing : html`<gw-error .failure=${this.failure}></gw-error>`}
      <label>${text.file}<input type="file" name="file" required accept=".csv,.json" /></label>
      <label
        >${text.provider}
        <select name="provider">
          <option value="">${text.all}</option>
          ${providers.map(({ name }) => html`<option>${name}</option>`)}
        </select></label
      >
      <label
        >${text.by}
        <select name="by">
          <option value="day">Day</option>
          <option value="month">Month</option>
        </select></label
      >
      <div>
        <button class="primary" ?disabled=${this.isSending}>${text.submit}</button>
      </div>
    </form>`;
  }

  #list(reports: readonly BillReport[]) {
    if (reports.length === 0) {
      return html`<gw-empty heading=${text.empty} icon="receipt-text" command=${billCommand}>
        <span slot="about">${text.emptyAbout}</span>
      </gw-empty>`;
    }
    return html`<gw-table
      label="Compared bills"
      noun="bill"
      .columns=${reportColumns}
      .rows=${reports}
      .keyOf=${({ id }: BillReport) => id}
      .hrefOf=${({ id }: BillReport) => linkTo({ screen: 'usage', rest: ['bills', id] })}
    ></gw-table>`;
  }

  #whole(report: WholeBillReport) {
    const facts: readonly (readonly [string, unknown])[] = [
      ['File', report.file_name ?? 'standard input'],
      ['Compared', html`<gw-time absolute at=${report.created_at}></gw-time>`],
      ['Days', `${report.first_day} to ${report.last_day}`],
      ['Providers', report.providers.length === 0 ? text.all : report.providers.join(', ')],
      ...report.totals.flatMap((total): (readonly [string, unknown])[] => [
        ['Bill', billMoney(total.bill_micros, total.currency)],
        ['Ledger', billMoney(total.ledger_micros, total.currency)],
        ['Difference', billMoney(total.difference_micros, total.currency)],
      ]),
      [
        'Lines',
        `${formatCount(report.lines, 'line')} as ${report.format}, ${report.skipped_lines} skipped`,
      ],
      [
        'In agreement',
        formatCount(report.matches, 'pair of period and model', 'pairs of period and model'),
      ],
    ];
    return html`<dl>
        ${facts.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      ${
        report.differences.length === 0
          ? html`<gw-empty heading=${text.agree}>
              <span slot="about">${text.agreeAbout}</span>
            </gw-empty>`
          : html`<gw-table
              label="Differences"
              noun="difference"
              .columns=${differenceColumns}
              .rows=${report.differences}
              .keyOf=${({ period, model, currency }: BillDifference) =>
                `${period} ${model ?? ''} ${currency}`}
            ></gw-table>`
      }`;
  }

  readonly #onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { target } = event;
    if (!(target instanceof HTMLFormElement) || this.isSending) return;
    const form = new FormData(target);
    const [file, provider, by] = [form.get('file'), form.get('provider'), form.get('by')];
    if (!(file instanceof File)) return;
    this.isSending = true;
    this.failure = null;
    try {
      const body = {
        content: await file.text(),
        file_name: file.name,
        providers: typeof provider === 'string' && provider !== '' ? [provider] : [],
        by: by === 'month' ? ('month' as const) : ('day' as const),
      };
      const made = await call('POST', '/admin/usage/reconciliations', { body });
      void this.#reports.reload();
      openRest(['bills', made.body.id]);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.failure = error;
    } finally {
      this.isSending = false;
    }
  };
}

customElements.define('gw-usage-bills', GwUsageBills);
