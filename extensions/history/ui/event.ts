// Shows one event of the log: its data, its origin and its hashes.

import { css, html, nothing } from 'lit';

import { getCommandAt, getEvent } from '../../../ui/api/history.ts';
import type { Command, WholeEvent } from '../../../ui/api/history.ts';
import { written } from '../../../ui/lib/history/history.ts';
import { linkTo, place } from '../../../ui/state/location.ts';
import { HistoryRecord, permalink } from './record.ts';
import type { Facts } from './record.ts';

type Loaded = Readonly<{ event: WholeEvent; command: Command | null }>;

class GwHistoryEvent extends HistoryRecord<Loaded> {
  static override styles = [
    HistoryRecord.styles,
    css`
      pre {
        max-height: 24rem;
        margin: 0;
        padding: var(--space-3);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--sunken);
        font-size: var(--text-s);
        line-height: 1.5;
      }

      dd code {
        overflow-wrap: anywhere;
      }
    `,
  ].flat();

  protected override async load(position: number, signal: AbortSignal): Promise<Loaded> {
    const [{ body: event }, command] = await Promise.all([
      getEvent(position, signal),
      getCommandAt(position, signal),
    ]);
    return { event, command };
  }

  #link(position: number): string {
    const { query } = place.get();
    return linkTo({ screen: 'history', rest: ['events', position], query });
  }

  protected override loaded({ event, command }: Loaded) {
    const { position, previous_in_stream: before, next_in_stream: after } = event;
    const data = event.data === null ? null : written(event.data);
    return html`<div class="ways">
        ${this.#way(before, 'chevron-left', 'Previous in stream')}
        ${this.#way(after, 'chevron-right', 'Next in stream')}
        <a class="button" href=${linkTo({ screen: 'history', rest: [position] })}>View change</a>
      </div>
      ${this.#facts(event, command)}
      <div class="section">
        <h3>Data</h3>
        ${data === null ? nothing : html`<gw-copy text=${data} label="data"></gw-copy>`}
      </div>
      ${
        data === null
          ? html`<p class="quiet">This data was erased. Its digest remains in the chain.</p>`
          : html`<pre tabindex="0" aria-label="Data of the event">${data}</pre>`
      }
      <div class="section"><h3>Chain</h3></div>
      ${this.#hashes(event)}`;
  }

  #way(to: number | null, icon: 'chevron-left' | 'chevron-right', label: string) {
    if (to === null) return nothing;
    return html`<a class="button" href=${this.#link(to)}
      ><gw-icon name=${icon}></gw-icon>${label}</a
    >`;
  }

  #facts(event: WholeEvent, command: Command | null) {
    const { actor, causation } = event;
    const stream = linkTo({
      screen: 'history',
      rest: ['events'],
      query: { stream: event.stream },
    });
    const link = permalink(this.#link(event.position));
    const facts: Facts = [
      ['Event', html`${event.type} <span class="quiet">schema ${event.schema}</span>`],
      [
        'Stream',
        html`<a href=${stream}><code>${event.stream}</code></a>
          <span class="quiet">event ${event.version}</span>`,
      ],
      ['Recorded', html`<gw-time absolute at=${event.recorded_at}></gw-time>`],
      [
        'Who',
        actor.principal_id === null
          ? actor.kind
          : html`<a href=${linkTo({ screen: 'principals', rest: [actor.principal_id] })}
                >${command?.actor_name ?? `principal ${actor.principal_id}`}</a
              >, by ${actor.kind}`,
      ],
      [
        'Command',
        html`${event.command}, event ${event.index + 1} of ${event.count}<br /><code
            >${event.action} ${event.target}</code
          >`,
      ],
      ...(command === null || command.reason === null ? [] : [['Why', command.reason] as const]),
      ['Request', this.exact(event.request_id, 'request id')],
      ['Transaction', this.exact(event.tx_id, 'transaction id')],
      ...(causation === undefined
        ? []
        : [
            [
              'Restores',
              html`<a href=${linkTo({ screen: 'history', rest: [causation.position] })}
                >state at ${causation.position}</a
              >`,
            ] as const,
          ]),
      ['Event id', this.exact(event.event_id, 'event id')],
      ['Written by', `gw ${event.app_version}`],
      [
        'Permalink',
        html`position ${event.position}<gw-copy text=${link} label="permalink"></gw-copy>`,
      ],
    ];
    return this.facts(facts);
  }

  #hashes(event: WholeEvent) {
    return this.facts([
      [
        'Previous hash',
        event.previous_hash === null
          ? 'none (first event)'
          : this.exact(event.previous_hash, 'previous hash'),
      ],
      ['Data', this.exact(event.payload_digest, 'digest')],
      ['Leaf', this.exact(event.leaf_hash, 'leaf hash')],
      ['Chain', this.exact(event.hash, 'hash')],
    ]);
  }
}

customElements.define('gw-history-event', GwHistoryEvent);
