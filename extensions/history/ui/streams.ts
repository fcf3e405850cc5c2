// Lists the streams of the log: one per record, with the number of its events.

import { LitElement, html } from 'lit';

import { listStreams } from '../../../ui/api/history.ts';
import type { Stream } from '../../../ui/api/history.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Paged } from '../../../ui/elements/table/paged.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { streamWords } from '../../../ui/lib/history/history.ts';
import { askedText } from '../../../ui/lib/history/log-filter.ts';
import { firstRows, follow } from '../../../ui/lib/page/pages.ts';
import type { AskPage } from '../../../ui/lib/page/pages.ts';
import '../../../ui/parts/log-filters.ts';
import { linkTo, place } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { listStyles } from '../../../ui/styles/list.ts';

const fields = ['stream'] as const;

const columns: readonly Column<Stream>[] = [
  {
    id: 'stream',
    label: 'Stream',
    value: ({ stream }) => stream,
    cell: ({ stream }) => html`<code>${stream}</code>`,
  },
  { id: 'entity', label: 'Record', value: ({ stream }) => streamWords(stream) },
  { id: 'events', label: 'Events', end: true, value: ({ events }) => events },
  {
    id: 'last_at',
    label: 'Last event',
    value: ({ last_at }) => last_at,
    cell: ({ last_at }) => html`<gw-time at=${last_at}></gw-time>`,
  },
  {
    id: 'last_position',
    label: 'Position',
    end: true,
    value: ({ last_position }) => last_position,
  },
];

class HistoryStreams extends LitElement {
  static override styles = [base, buttons, listStyles];
  readonly #place = new Watch(this, place);
  readonly #paged = new Paged(this, {
    load: (wanted, signal) => {
      const page = this.#page();
      return firstRows<Stream>(wanted, (limit, last) => page(limit, last, signal));
    },
    asked: () => askedText(this.#place.value.query),
  });
  readonly #streams = this.#paged.resource;

  #page(): AskPage<Stream> {
    const part = this.#place.value.query['stream']?.trim() ?? '';
    const asked = part === '' ? {} : { part };
    return (limit, last, signal) => listStreams({ ...asked, limit, after: last?.stream }, signal);
  }

  protected override render() {
    return html`${failureNotice(this.#streams)}
      <gw-log-filters .fields=${fields}>
        <a class="button" href=${linkTo({ screen: 'history', rest: ['events'] })}>All events</a>
      </gw-log-filters>
      ${loaded(this.#streams, (rows) => this.#table(rows))}`;
  }

  #table(rows: readonly Stream[]) {
    return html`<gw-table
        partial
        label="Streams"
        noun="stream"
        .columns=${columns}
        .rows=${rows}
        .keyOf=${({ stream }: Stream) => stream}
        .hrefOf=${({ stream }: Stream) =>
          linkTo({ screen: 'history', rest: ['events'], query: { stream } })}
        .view=${tableView()}
        .follow=${follow(this.#page())}
        ?stale=${this.#paged.isStale}
        @gw-view=${keepView}
      ></gw-table>
      ${this.#paged.rest(rows.length, 'asc')}`;
  }
}

customElements.define('gw-history-streams', HistoryStreams);
