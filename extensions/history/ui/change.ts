// Shows one change: who made it, why, its effect, its events, and the actions for it.

import { css, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { call } from '../../../ui/api/http/call.ts';
import { getCommandAt, listEventsOf } from '../../../ui/api/history.ts';
import type { Command, LogEvent } from '../../../ui/api/history.ts';
import { asFailure } from '../../../ui/api/http/failure.ts';
import { restoreSnapshot } from '../../../ui/api/snapshots.ts';
import type { Restored } from '../../../ui/api/snapshots.ts';
import type { Save } from '../../../ui/lib/saves/save.ts';
import { isPlain, undoReason } from '../../../ui/lib/saves/undo.ts';
import '../../../ui/parts/differences.ts';
import '../../../ui/parts/save.ts';
import { formatCount } from '../../../ui/lib/text/format.ts';
import '../../../ui/elements/overlay/help.ts';
import {
  placeOfStream,
  reachText,
  streamsOf,
  versionHelp,
  versionsText,
  wordsOf,
} from '../../../ui/lib/history/history.ts';
import { isReadOnly } from '../../../ui/state/as-of.ts';
import { linkTo, navigate, openRest } from '../../../ui/state/location.ts';
import { tellChanged } from '../../../ui/state/changed.ts';
import { may } from '../../../ui/state/session.ts';
import { notify } from '../../../ui/state/toasts.ts';
import { subjectLink } from '../../../ui/parts/subject.ts';
import { HistoryRecord, permalink, tellDifference } from './record.ts';
import type { Facts, Told } from './record.ts';

const eventsMax = 100;

const kindWords = (kind: string): string => kind.replaceAll('_', ' ');

/** Null if the log has no change at this position. */
type Loaded = Readonly<{
  command: Command;
  events: readonly LogEvent[];
  told: Told;
  reach: string;
}> | null;

/** Any event of the change identifies it. */
class GwHistoryChange extends HistoryRecord<Loaded> {
  static override styles = [
    HistoryRecord.styles,
    css`
      .rows a {
        overflow-wrap: anywhere;
      }
    `,
  ].flat();

  static override properties: PropertyDeclarations = {
    undoing: { state: true },
    save: { state: true },
    preview: { state: true },
  };
  /** The preview is loading. */
  declare undoing: boolean;
  declare save: Save | null;
  declare preview: Restored | null;

  constructor() {
    super();
    this.undoing = false;
    this.save = null;
    this.preview = null;
  }

  protected override async load(position: number, signal: AbortSignal): Promise<Loaded> {
    const command = await getCommandAt(position, signal);
    if (command === null) return null;
    const { id, first_position: first } = command;
    const [events, told, replicas] = await Promise.all([
      listEventsOf(command, { limit: eventsMax, signal }),
      tellDifference({ from: first - 1, to: id }, signal),
      call('GET', '/admin/fleet', { signal }),
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
      <div class="section"><h3>Changed fields</h3></div>
      ${this.differences(told)}
      <div class="section"><h3>Events</h3></div>
      ${this.#events(command, events)} ${this.#undoDialog()}`;
  }

  #ways(command: Command, events: readonly LogEvent[], isChange: boolean) {
    const { id } = command;
    const streams = streamsOf(events);
    const only = events.length < command.event_count ? null : streams;
    const shown = streams.map((stream) => placeOfStream(stream)).find((one) => one !== null);
    const query = { as_of: String(id) };
    return html`<div class="ways">
      ${
        may('config:write') && !isReadOnly() && isChange
          ? html`<button
              type="button"
              ?disabled=${this.undoing}
              @click=${() => this.#askUndo(command, only)}
            >
              <gw-icon name="undo-2"></gw-icon>Undo…
            </button>`
          : nothing
      }
      <a class="button" href=${linkTo({ ...(shown ?? { screen: 'models' }), query })}
        ><gw-icon name="clock"></gw-icon>Configuration at this version</a
      >
      <a
        class="button"
        href=${linkTo({ screen: 'history', rest: ['diff'], query: { from: String(id) } })}
        ><gw-icon name="arrow-right"></gw-icon>Compare with current</a
      >
    </div>`;
  }

  /** Small undos are confirmed in one dialog. Large or partial ones open the restore page. */
  async #askUndo(command: Command, only: readonly string[] | null): Promise<void> {
    const moment = command.first_position - 1;
    this.undoing = true;
    try {
      const preview = only === null ? null : await previewOf(moment, only);
      if (only !== null && preview !== null && isPlain(preview.would)) {
        this.preview = preview.would;
        this.save = undoSave(command, { moment, only, version: preview.version });
      } else {
        const query = only === null ? {} : { only: only.join(',') };
        navigate({ screen: 'history', rest: ['restore', moment], query });
      }
    } catch (error) {
      notify({ tone: 'bad', text: 'Cannot preview the undo', detail: asFailure(error).message });
    } finally {
      this.undoing = false;
    }
  }

  #undoDialog() {
    const { preview } = this;
    return html`<gw-save
      .save=${this.save}
      @gw-close=${() => (this.save = null)}
      @gw-saved=${() => {
        this.save = null;
        tellChanged();
        openRest([]);
      }}
      ><gw-differences
        level="3"
        .differences=${preview?.diff ?? []}
        .total=${preview?.difference_count ?? 0}
      ></gw-differences
    ></gw-save>`;
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
          html`<span class="quiet">Unchanged. Proxies are not affected</span>`,
      ],
      ...(reach === ''
        ? []
        : [['Replicas', `${reach} serve this version or a later one`] as const]),
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

type Previewed = Readonly<{ would: Restored; version: number | null }>;

async function previewOf(moment: number, only: readonly string[]): Promise<Previewed> {
  const { body: would, etag } = await restoreSnapshot(moment, { only: [...only], dry_run: true });
  const version = Number(etag?.replaceAll('"', '') ?? NaN);
  return { would, version: Number.isNaN(version) ? null : version };
}

type Undone = Readonly<{ moment: number; only: readonly string[]; version: number | null }>;

/** The server requires a reason for a restore. */
const undoSave = (command: Command, { moment, only, version }: Undone): Save => ({
  heading: `Undo: ${command.summary}`,
  verb: 'Undo',
  done: `Undone: ${command.summary}`,
  before: null,
  after: null,
  run: (change) => {
    const given = change.reason?.trim() ?? '';
    const reason = given === '' ? { reason: undoReason(command.id) } : {};
    const held = version === null ? {} : { version };
    return restoreSnapshot(moment, { only: [...only], ...reason }, { ...change, ...held });
  },
});

customElements.define('gw-history-change', GwHistoryChange);
