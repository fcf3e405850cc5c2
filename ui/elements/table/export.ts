// Exports all rows of a table to a file, including pages that are not loaded.

import { css, html } from 'lit';

import { element, given, state, text } from '../element.ts';
import { asFailure } from '../../api/http/failure.ts';
import type { Exported, FileFormat, Written } from '../../lib/page/export.ts';
import { formatCount, formatNumber, pluralOf } from '../../lib/text/format.ts';
import { notify } from '../../state/toasts.ts';
import { base, buttons } from '../../styles/base.ts';
import '../icon.ts';
import '../overlay/menu.ts';
import { save } from './save-file.ts';

const formats: readonly Readonly<{ value: FileFormat; label: string; type: string }>[] = [
  { value: 'csv', label: 'CSV', type: 'text/csv' },
  { value: 'json', label: 'JSON', type: 'application/json' },
  { value: 'ndjson', label: 'NDJSON', type: 'application/x-ndjson' },
];

/** `cells` are the columns for CSV; `record` is the row as it is. */
export type ExportSource = Readonly<{
  columns: readonly string[];
  pages: (signal: AbortSignal) => AsyncIterable<readonly object[]> | Iterable<readonly object[]>;
  cells: (row: object) => Exported;
  record: (row: object) => Exported;
  /** Null if unknown. */
  count: number | null;
  isNewestFirst: boolean;
}>;

class GwExport extends element({
  source: given<ExportSource>(),
  /** Singular. */
  noun: text(),
  /** Null while no export runs. */
  done: state<number | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: inline-flex;
      }

      button {
        font-variant-numeric: tabular-nums;
      }
    `,
  ];
  #running: AbortController | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#running?.abort();
  }

  protected override render() {
    if (this.done !== null) {
      return html`<button type="button" class="plain" @click=${() => this.#running?.abort()}>
        <gw-icon name="x"></gw-icon>Stop export at ${formatNumber(this.done)}
      </button>`;
    }
    const { count } = this.source;
    const of = count === null ? `all ${pluralOf(this.noun)}` : formatCount(count, this.noun);
    return html`<gw-menu
      plain
      icon="download"
      label="Export"
      .items=${formats.map(({ value, label }) => ({ value, label: `${label} of ${of}` }))}
      @gw-choose=${({ detail }: CustomEvent<FileFormat>) => this.#write(detail)}
    ></gw-menu>`;
  }

  async #write(format: FileFormat): Promise<void> {
    const { columns, isNewestFirst } = this.source;
    const running = new AbortController();
    this.#running = running;
    this.done = 0;
    const onRows = (rows: number): void => {
      this.done = rows;
    };
    try {
      // No screen waits for the result.
      const { writeRows } = await import('../../lib/page/export.ts');
      const asked = { format, columns, isNewestFirst, onRows };
      const written = await writeRows(this.#pages(format, running.signal), asked);
      if (!running.signal.aborted) this.#save(format, written);
    } catch (error) {
      if (running.signal.aborted) return;
      const { message, requestId } = asFailure(error);
      const detail = requestId === null ? '' : `request ${requestId}`;
      notify({ tone: 'bad', text: `Export failed: ${message}`, detail });
    } finally {
      this.done = null;
    }
  }

  async *#pages(format: FileFormat, signal: AbortSignal) {
    const { pages, cells, record } = this.source;
    for await (const page of pages(signal)) {
      if (signal.aborted) return;
      yield page.map(format === 'csv' ? cells : record);
    }
  }

  #save(format: FileFormat, { parts, rows, isCut }: Written): void {
    const name = pluralOf(this.noun).replaceAll(' ', '-');
    const type = formats.find(({ value }) => value === format)?.type ?? '';
    save(`${name}${isCut ? `-first-${rows}` : ''}.${format}`, type, parts);
    if (!isCut) return;
    const text = `The file contains only the first ${formatCount(rows, this.noun)}`;
    notify({ text, detail: 'Use narrower filters to export the others' });
  }
}

customElements.define('gw-export', GwExport);
