// Defines `gw usage reconcile`, which compares a provider's bill with the ledger.

import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { Option } from 'clipanion';
import { z } from 'zod';

import type { ControlPlane } from '../../../control/plane.ts';
import type { BillGiven, Reconciled } from '../../../control/usage/reconcile-bill.ts';
import { isRefusal, refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { defaultCurrency } from '../../../lib/vocabulary.ts';
import { comparisonPeriods } from '../../../usage/bill/compare.ts';
import { billFields, csvFormatNames } from '../../../usage/bill/formats.ts';
import { billLengthMax } from '../../../usage/bill/read-bill.ts';
import { HistoryCommand } from '../../control-plane/history-command.ts';
import type { Printed } from '../../control-plane/history-command.ts';
import { exitCodes } from '../../printing/exit-codes.ts';
import { differenceLine, summaryLines } from '../../printing/bill-report.ts';

const day = z.iso.date();
const currency = z.string().regex(/^[A-Z]{3}$/);
const percent = z.coerce.number().min(0).max(100);
const micros = z.coerce.number().int().min(0);

export class UsageReconcileCommand extends HistoryCommand {
  static override paths = [['usage', 'reconcile']];
  static override usage = HistoryCommand.Usage({
    description: "compare a provider's bill with the ledger",
    details: `
      Reads the cost exports of OpenAI, Anthropic and Google, and the answers of cost APIs in
      JSON. It also reads FOCUS, and other CSV files with a date, a model and an amount. Compares
      each UTC day and model, and stores the differences as a report. Exits 10 if something differs.
      Needs --file, --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Compare a bill', '$0 usage reconcile --provider openai --file costs.csv'],
      [
        'Name the columns of a file',
        '$0 usage reconcile --file bill.csv --column date=Day --column amount=Net --currency EUR',
      ],
    ],
  });

  file = Option.String('--file', { required: true, description: 'the bill; - is standard input' });
  provider = Option.Array('--provider', [], {
    description: 'provider of gw whose usage is on the bill; repeatable (default all)',
  });
  format = Option.String('--format', {
    description: `${csvFormatNames.join(', ')} (default: recognised by the columns)`,
  });
  column = Option.Array('--column', [], {
    description: `field=name of a column, for ${billFields.join(', ')}; repeatable`,
  });
  currency = Option.String('--currency', defaultCurrency, {
    description: 'currency of lines without one (default USD)',
  });
  by = Option.String('--by', 'day', { description: 'day or month (default day)' });
  firstDay = Option.String('--first-day', { description: 'first day (default that of the bill)' });
  lastDay = Option.String('--last-day', { description: 'last day (default that of the bill)' });
  tolerance = Option.String('--tolerance-percent', '1', {
    description: 'ignore differences of at most this percentage of the bill (default 1)',
  });
  toleranceMicros = Option.String('--tolerance-micros', '10000', {
    description: 'ignore differences of at most these micro-units (default 10000)',
  });
  reason = Option.String('--reason', { description: 'reason, kept in the history' });

  protected override async read(plane: ControlPlane): Promise<Printed | Refusal> {
    const content = await this.#content();
    if (isRefusal(content)) return content;
    const given = this.#given(content);
    if (isRefusal(given)) return given;
    const { reconcileBill, storeReport } = await import('../../../control/usage/reconcile-bill.ts');
    const { reports: db, store, execute } = plane;
    const made = await reconcileBill({ db, state: () => store.state(), clock: Date.now }, given);
    if (isRefusal(made)) return made;
    const outcome = await execute(
      { command: made.command },
      {
        actor: { kind: 'cli', principal_id: null },
        action: 'CLI',
        target: 'usage reconcile',
        requestId: randomUUID(),
        reason: this.reason ?? null,
        conclude: (_outcome, tx) => storeReport(tx, made, null),
      },
    );
    return isRefusal(outcome) ? outcome : toPrinted(made);
  }

  async #content(): Promise<string | Refusal> {
    if (this.file === '-') {
      const { text } = await import('node:stream/consumers');
      return text(this.context.stdin);
    }
    const { size } = await stat(this.file);
    if (size > 4 * billLengthMax) {
      return refuse('invalid', `--file ${this.file} has ${size} bytes, which is too large`);
    }
    return readFile(this.file, 'utf8');
  }

  #given(content: string): BillGiven | Refusal {
    const columns: Record<string, string> = {};
    for (const named of this.column) {
      const [, field = '', name = ''] = /^([a-z]+)=(.+)$/.exec(named) ?? [];
      if (!billFields.some((one) => one === field)) {
        return invalid(
          '--column',
          `<field>=<name>, with a field of ${billFields.join(', ')}`,
          named,
        );
      }
      columns[field] = name;
    }
    const read = {
      format: z.enum(csvFormatNames).optional().safeParse(this.format),
      by: z.enum(comparisonPeriods).safeParse(this.by),
      currency: currency.safeParse(this.currency),
      firstDay: day.optional().safeParse(this.firstDay),
      lastDay: day.optional().safeParse(this.lastDay),
      percent: percent.safeParse(this.tolerance),
      micros: micros.safeParse(this.toleranceMicros),
    };
    if (!read.format.success) return invalid('--format', csvFormatNames.join(', '), this.format);
    if (!read.by.success) return invalid('--by', 'day or month', this.by);
    if (!read.currency.success) return invalid('--currency', 'a code such as USD', this.currency);
    if (!read.firstDay.success) return invalid('--first-day', aDay, this.firstDay);
    if (!read.lastDay.success) return invalid('--last-day', aDay, this.lastDay);
    if (!read.percent.success) return invalid('--tolerance-percent', '0 to 100', this.tolerance);
    if (!read.micros.success)
      return invalid('--tolerance-micros', '0 or more', this.toleranceMicros);
    return {
      content,
      fileName: this.file === '-' ? null : path.basename(this.file),
      providers: this.provider,
      format: read.format.data ?? null,
      columns,
      currency: read.currency.data,
      by: read.by.data,
      firstDay: read.firstDay.data ?? null,
      lastDay: read.lastDay.data ?? null,
      toleranceMicros: read.micros.data,
      tolerancePercent: read.percent.data,
    };
  }
}

const aDay = 'a day such as 2026-11-23';

const invalid = (flag: string, rule: string, given: string | undefined): Refusal =>
  refuse('invalid', `${flag} must be ${rule}, was ${JSON.stringify(given)}`);

function toPrinted({ id, createdAt, facts, differences }: Reconciled): Printed {
  const lines = [...summaryLines({ id, facts }), ...differences.map(differenceLine)];
  return {
    json: { id, created_at: createdAt.toISOString(), principal_id: null, ...facts, differences },
    text: lines.join('\n'),
    code: differences.length === 0 ? exitCodes.ok : exitCodes.differences,
  };
}
