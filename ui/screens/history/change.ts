// One change: who made it, why, what it did to the configuration, the events that say so, and the ways from there.

import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { getFleet } from '../../api/fleet.ts';
import { getCommandAt, listEventsOf } from '../../api/history.ts';
import type { Command, LogEvent } from '../../api/history.ts';
import { diffSnapshots } from '../../api/snapshots.ts';
import { asFailure } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/copy.ts';
import '../../elements/empty.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { formatCount } from '../../lib/format.ts';
import { placeOfStream, reachText, streamsOf, versionsText, wordsOf } from '../../lib/history.ts';
import '../../parts/differences.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo } from '../../state/location.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const eventsMax = 100;
const differencesMax = 200;

type Loaded = Readonly<{
  command: Command | null;
  events: readonly LogEvent[];
  differences: Awaited<ReturnType<typeof diffSnapshots>>['body'];
  /** Why they cannot be told, where the rest of the change can. */
  untold: ApiFailure | null;
  reach: string;
}>;

const nothingDiffers: Loaded['differences'] = {
  from: { position: 0, version: 0 },
  to: { position: 0, version: 0 },
  total: 0,
  differences: [],
};

async function load(position: number, signal: AbortSignal): Promise<Loaded> {
  const command = await getCommandAt(position, signal);
  if (command === null) {
    return { command, events: [], differences: nothingDiffers, untold: null, reach: '' };
  }
  const { id, first_position: first } = command;
  const [events, diff, replicas] = await Promise.all([
    listEventsOf(command, { limit: eventsMax, signal }),
    diffSnapshots({ from: first - 1, to: id }, { limit: differencesMax }, signal).catch(asFailure),
    getFleet(signal),
  ]);
  const isTold = 'body' in diff;
  return {
    command,
    events: events.body,
    differences: isTold ? diff.body : nothingDiffers,
    untold: isTold ? null : diff,
    reach: reachText(command, replicas.body),
  };
}

export class GwHistoryChange extends LitElement {
  static override properties = { position: { type: Number } };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-bottom: var(--space-4);
      }

      .rows a {
        overflow-wrap: anywhere;
      }
    `,
  ];
  /** Of any of its events. */
  declare position: number;
  readonly #change = new Resource(this, (signal) => load(this.position, signal));

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('position') !== undefined) void this.#change.reload();
  }

  protected override render() {
    const { value, failure } = this.#change;
    if (failure !== null) {
      return html`<gw-error
        retriable
        .failure=${failure}
        @gw-retry=${() => this.#change.reload()}
      ></gw-error>`;
    }
    if (value === undefined) return nothing;
    if (value.command === null) {
      return html`<gw-empty heading="No change at ${this.position}" icon="history">
        <span slot="about">The log ends before this position.</span>
      </gw-empty>`;
    }
    return this.#record(value.command, value);
  }

  #record(command: Command, { events, differences, untold, reach }: Loaded) {
    return html`${this.#ways(command, events, differences.total > 0)} ${this.#facts(command, reach)}
      <div class="section"><h3>What it changed</h3></div>
      ${
        untold === null
          ? html`<gw-differences
              .differences=${differences.differences}
              .total=${differences.total}
            ></gw-differences>`
          : html`<gw-error .failure=${untold}></gw-error>`
      }
      <div class="section"><h3>Events</h3></div>
      ${this.#events(command, events)}`;
  }

  #ways(command: Command, events: readonly LogEvent[], isChange: boolean) {
    const { id, first_position: first } = command;
    const streams = streamsOf(events);
    const only = events.length < command.event_count ? {} : { only: streams.join(',') };
    const shown = streams.map((stream) => placeOfStream(stream)).find((one) => one !== null);
    const query = { as_of: String(id) };
    return html`<div class="ways">
      ${
        may('config:write') && !isReadOnly() && isChange
          ? html`<a
              class="button"
              href=${linkTo({ screen: 'history', rest: ['restore', first - 1], query: only })}
              ><gw-icon name="undo-2"></gw-icon>Undo …</a
            >`
          : nothing
      }
      <a class="button" href=${linkTo({ ...(shown ?? { screen: 'models' }), query })}
        ><gw-icon name="clock"></gw-icon>As it was then</a
      >
      <a
        class="button"
        href=${linkTo({ screen: 'history', rest: ['diff'], query: { from: String(id) } })}
        ><gw-icon name="arrow-right"></gw-icon>Compare with now</a
      >
    </div>`;
  }

  #facts(command: Command, reach: string) {
    const { id, at, actor_id, actor_name, actor_kind, reason, reason_erased } = command;
    const link = new URL(linkTo({ screen: 'history', rest: [id] }), globalThis.location.href).href;
    const who = actor_name ?? (actor_id === null ? actor_kind : `principal ${actor_id}, erased`);
    const facts: readonly (readonly [string, unknown])[] = [
      ['Change', wordsOf(command.command)],
      ['When', html`<gw-time absolute at=${at}></gw-time>`],
      [
        'Who',
        html`${
          actor_id === null
            ? who
            : html`<a href=${linkTo({ screen: 'principals', rest: [actor_id] })}>${who}</a>`
        },
        by ${actor_kind}`,
      ],
      ['Why', reason_erased ? 'erased' : (reason ?? html`<span class="quiet">not said</span>`)],
      ['Call', html`<code>${command.action} ${command.target}</code>`],
      [
        'Version',
        versionsText(command) ||
          html`<span class="quiet">as before: proxies are not concerned</span>`,
      ],
      ...(reach === '' ? [] : [['Replicas', `${reach} have it, or a later one`] as const]),
      [
        'Request',
        html`<code>${command.request_id}</code
          ><gw-copy text=${command.request_id} label="request id"></gw-copy>`,
      ],
      ['Permalink', html`position ${id}<gw-copy text=${link} label="permalink"></gw-copy>`],
    ];
    return html`<dl>
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>`;
  }

  #events({ event_count: count }: Command, events: readonly LogEvent[]) {
    return html`<ul class="rows">
        ${events.map(
          ({ position, type, stream }) =>
            html`<li>
              <a href=${linkTo({ screen: 'history', rest: ['events', position] })}
                >${wordsOf(type)}</a
              ><code class="quiet">${stream}</code><span class="quiet end">${position}</span>
            </li>`,
        )}
      </ul>
      ${
        count > events.length
          ? html`<p class="quiet">And ${formatCount(count - events.length, 'more event')}.</p>`
          : nothing
      }`;
  }
}

customElements.define('gw-history-change', GwHistoryChange);

declare global {
  interface HTMLElementTagNameMap {
    'gw-history-change': GwHistoryChange;
  }
}
