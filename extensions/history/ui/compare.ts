// Compares the configuration at two versions, positions or times.

import { css, html, nothing } from 'lit';

import { element, state } from '../../../ui/elements/element.ts';
import { wrongField } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { getLogHead } from '../../../ui/api/log.ts';
import { diffSnapshots } from '../../../ui/api/snapshots.ts';
import type { SnapshotDiff } from '../../../ui/api/snapshots.ts';
import '../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../ui/elements/form/field.ts';
import '../../../ui/elements/form/form.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { formatCount } from '../../../ui/lib/text/format.ts';
import { kindLabel, kindNames, readMoment } from '../../../ui/lib/history/history.ts';
import '../../../ui/parts/differences.ts';
import { screenNamed } from '../../../ui/screens.ts';
import { isReadOnly } from '../../../ui/state/as-of.ts';
import { changeQuery, linkTo, place } from '../../../ui/state/location.ts';
import { may } from '../../../ui/state/session.ts';
import { base, buttons, controls } from '../../../ui/styles/base.ts';
import { listStyles } from '../../../ui/styles/list.ts';

const pageDifferences = 1_000;
const hint = 'Version, or time in UTC such as 2026-11-21 14:05';

class HistoryDiff extends element({
  /** The values as typed. */
  from: state(''),
  to: state(''),
  wrong: state<ApiFailure | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    listStyles,
    css`
      .ask {
        display: grid;
        grid-template-columns: minmax(0, 18rem) minmax(0, 18rem) auto;
        align-items: start;
        gap: var(--space-3);
        margin-bottom: var(--space-5);
      }

      .ask button {
        justify-self: start;
        margin-top: 1.4375rem;
      }

      .found {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        margin-bottom: var(--space-4);
      }

      .found h2 {
        margin-right: auto;
      }

      .found select {
        width: auto;
      }

      @media (max-width: 640px) {
        .ask {
          grid-template-columns: minmax(0, 1fr);
        }

        .ask button {
          margin-top: 0;
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  #wanted = pageDifferences;
  readonly #diff = new Resource(this, (signal) => this.#load(signal));

  /** Null until both times are known. */
  async #load(signal: AbortSignal): Promise<SnapshotDiff | null> {
    const { from, to, kind } = this.#place.value.query;
    if (from === undefined) return null;
    const end = to ?? String((await getLogHead(signal)).body.position);
    const ends = { from, to: end };
    const asked = { kind, limit: pageDifferences };
    const { body: first } = await diffSnapshots(ends, asked, signal);
    const differences = [...first.differences];
    while (differences.length < Math.min(this.#wanted, first.total)) {
      const { body } = await diffSnapshots(ends, { ...asked, offset: differences.length }, signal);
      if (body.differences.length === 0) break;
      differences.push(...body.differences);
    }
    return { ...first, differences };
  }

  protected override render() {
    return html`<div class="ask" @gw-input=${this.#onInput} @gw-enter=${this.#compare}>
        <gw-field
          name="from"
          label="From"
          required
          hint=${hint}
          error=${this.wrong?.param === 'from' ? this.wrong.message : ''}
          .value=${this.from}
        ></gw-field>
        <gw-field
          name="to"
          label="To"
          hint="Version, or time in UTC. Leave empty for the current one"
          error=${this.wrong?.param === 'to' ? this.wrong.message : ''}
          .value=${this.to}
        ></gw-field>
        <button type="button" class="primary" @click=${this.#compare}>Compare</button>
      </div>
      ${failureNotice(this.#diff)}
      ${loaded(this.#diff, (found) => (found === null ? nothing : this.#found(found)))}`;
  }

  #found({ from, to, total, differences }: SnapshotDiff) {
    const { kind = '' } = this.#place.value.query;
    return html`<div class="found">
        <h2>
          ${formatCount(total, 'record differs', 'records differ')} between version ${from.version}
          and ${to.version}
        </h2>
        <select aria-label="Kind" @change=${this.#onKind}>
          <option value="">All kinds</option>
          ${kindNames.map(
            (name) =>
              html`<option value=${name} ?selected=${name === kind}>${kindLabel(name)}</option>`,
          )}
        </select>
        ${
          total === 0 || screenNamed('routing') === undefined
            ? nothing
            : html`<a
                class="button"
                href=${linkTo({
                  screen: 'routing',
                  query: {
                    as_of: String(to.position),
                    compare: String(from.position),
                    model: 'changed',
                  },
                })}
                ><gw-icon name="workflow"></gw-icon>Routing map</a
              >`
        }
        ${
          may('config:write') && !isReadOnly() && total > 0
            ? html`<a
                class="button"
                href=${linkTo({ screen: 'history', rest: ['restore', from.position] })}
                ><gw-icon name="rotate-ccw"></gw-icon>Restore version ${from.position}…</a
              >`
            : nothing
        }
      </div>
      <gw-differences
        level="3"
        growing
        .differences=${differences}
        .total=${total}
        @gw-more=${this.#onMore}
      ></gw-differences>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    if (name === 'from') this.from = value;
    else this.to = value;
  };

  readonly #compare = (): void => {
    const from = readMoment(this.from);
    const to = this.to.trim() === '' ? '' : readMoment(this.to);
    const wrong = from === null ? 'from' : to === null ? 'to' : null;
    if (wrong === null) changeQuery({ from, to });
    else this.wrong = wrongField(wrong, 'must be a version, a position or a time');
  };

  readonly #onMore = (): void => {
    this.#wanted += pageDifferences;
    void this.#diff.reload();
  };

  readonly #onKind = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) changeQuery({ kind: target.value });
  };

  #asked: string | null = null;

  /** Loads again when the times in the address change. */
  protected override willUpdate(): void {
    const { from = '', to = '', kind } = this.#place.value.query;
    const asked = JSON.stringify([from, to, kind]);
    if (asked === this.#asked) return;
    const isFirst = this.#asked === null;
    this.#asked = asked;
    this.from = from;
    this.to = to;
    this.#wanted = pageDifferences;
    if (!isFirst) void this.#diff.reload();
  }
}

customElements.define('gw-history-diff', HistoryDiff);
