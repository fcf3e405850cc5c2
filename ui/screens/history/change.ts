// One change: who made it, why, what it did to the configuration, the events that say so, and the ways from there.

import { css, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { getFleet } from '../../api/fleet.ts';
import { getCommandAt, listEventsOf } from '../../api/history.ts';
import type { Command, LogEvent } from '../../api/history.ts';
import { formatCount } from '../../lib/format.ts';
import '../../elements/help.ts';
import {
  placeOfStream,
  reachText,
  streamsOf,
  versionHelp,
  versionsText,
  wordsOf,
} from '../../lib/history.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo } from '../../state/location.ts';
import { takeBack } from '../../state/publication.ts';
import { may, session } from '../../state/session.ts';
import { subjectLink } from '../../parts/subject.ts';
import { HistoryRecord, permalink, tellDifference } from './record.ts';
import type { Facts, Told } from './record.ts';

const eventsMax = 100;

const kindWords = (kind: string): string => kind.replaceAll('_', ' ');

/** Null where the log has no change at the position. */
type Loaded = Readonly<{
  command: Command;
  events: readonly LogEvent[];
  told: Told;
  reach: string;
}> | null;

/** Found by the position of any of its events. */
export class GwHistoryChange extends HistoryRecord<Loaded> {
  static override styles = [
    HistoryRecord.styles,
    css`
      .rows a {
        overflow-wrap: anywhere;
      }
    `,
  ].flat();

  static override properties: PropertyDeclarations = { undoing: { state: true } };
  declare undoing: boolean;

  constructor() {
    super();
    this.undoing = false;
  }

  protected override async load(position: number, signal: AbortSignal): Promise<Loaded> {
    const command = await getCommandAt(position, signal);
    if (command === null) return null;
    const { id, first_position: first } = command;
    const [events, told, replicas] = await Promise.all([
      listEventsOf(command, { limit: eventsMax, signal }),
      tellDifference({ from: first - 1, to: id }, signal),
      getFleet(signal),
    ]);
    return { command, events: events.body, told, reach: reachText(command, replicas.body) };
  }

  protected override loaded(loaded: Loaded) {
    if (loaded === null) {
      return html`<gw-empty heading="No change at ${this.position}" icon="history">
        <span slot="about">The log ends before this position.</span>
      </gw-empty>`;
    }
    const { command, events, told, reach } = loaded;
    const isChange = 'total' in told && told.total > 0;
    return html`${this.#ways(command, events, isChange)} ${this.#facts(command, reach)}
      <div class="section"><h3>What it changed</h3></div>
      ${this.differences(told)}
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
          ? html`${this.#undoOwn(command)}
              <a
                class="button"
                href=${linkTo({ screen: 'history', rest: ['restore', first - 1], query: only })}
                ><gw-icon name="rotate-ccw"></gw-icon>Look at undoing it …</a
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

  /** As the notice of the save did; what cannot be taken back at once is looked at first. */
  #undoOwn({ actor_id: actor, request_id: request }: Command) {
    const now = session.get();
    if (!('you' in now) || now.you.id !== actor) return nothing;
    return html`<button type="button" ?disabled=${this.undoing} @click=${() => this.#undo(request)}>
      <gw-icon name="undo-2"></gw-icon>Undo
    </button>`;
  }

  async #undo(request: string): Promise<void> {
    this.undoing = true;
    await takeBack(request);
    this.undoing = false;
  }

  #facts(command: Command, reach: string) {
    const { id, at, actor_id, actor_name, actor_kind, reason, reason_erased } = command;
    const link = permalink(linkTo({ screen: 'history', rest: [id] }));
    const who = actor_name ?? (actor_id === null ? actor_kind : `principal ${actor_id}, erased`);
    const means = who === actor_kind ? '' : `, by ${kindWords(actor_kind)}`;
    const facts: Facts = [
      ['Change', command.summary],
      ['Record', subjectLink(command.subject)],
      ['When', html`<gw-time absolute at=${at}></gw-time>`],
      [
        'Who',
        html`${
          actor_id === null
            ? who
            : html`<a href=${linkTo({ screen: 'principals', rest: [actor_id] })}>${who}</a>`
        }${means}`,
      ],
      ['Reason', reason_erased ? 'erased' : (reason ?? html`<span class="quiet">none</span>`)],
      ['Call', html`<code>${command.action} ${command.target}</code>`],
      [
        html`Version<gw-help term="Version" text=${versionHelp}></gw-help>`,
        versionsText(command) ||
          html`<span class="quiet">unchanged: proxies are not affected</span>`,
      ],
      ...(reach === '' ? [] : [['Replicas', `${reach} have it, or a later one`] as const]),
      ['Request', this.exact(command.request_id, 'request id')],
      ['Permalink', html`position ${id}<gw-copy text=${link} label="permalink"></gw-copy>`],
    ];
    return this.facts(facts);
  }

  #events({ event_count: count, request_id: request }: Command, events: readonly LogEvent[]) {
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
          ? html`<p>
              <a href=${linkTo({ screen: 'history', rest: ['events'], query: { request } })}
                >And ${formatCount(count - events.length, 'more event')}</a
              >
            </p>`
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
