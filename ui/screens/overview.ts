// Overview: how the gateway does now, what was changed last, and, until it is done, the way to the first request.

import { LitElement, html, nothing } from 'lit';

import type { Command } from '../api/history.ts';
import '../elements/chart.ts';
import '../elements/kpi.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import '../elements/range.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import {
  formatCount,
  formatDuration,
  formatMoneyShort,
  formatShare,
  formatShort,
} from '../lib/format.ts';
import { nextStep } from '../lib/first-run.ts';
import type { Step } from '../lib/first-run.ts';
import { wordsOf } from '../lib/history.ts';
import { readRange, writeRange } from '../lib/range.ts';
import type { Range } from '../lib/range.ts';
import { refusedOf, totalsOf } from '../lib/series.ts';
import type { Totals } from '../lib/series.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { base } from '../styles/base.ts';
import './overview/checklist.ts';
import { loadFirstRun, loadNow } from './overview/load.ts';
import { overviewStyles } from './overview/styles.ts';

const day: Range = { kind: 'last', ms: 24 * 3_600_000 };
const pollMs = 15_000;

type Now = Awaited<ReturnType<typeof loadNow>>;

class ScreenOverview extends LitElement {
  static override styles = [base, overviewStyles];
  readonly #place = new Watch(this, place);
  readonly #now = new Resource(this, (signal) => loadNow(this.#range(), signal), { pollMs });
  /** Once all is done, nothing of it is asked for again. */
  readonly #steps: Resource<readonly Step[]> = new Resource(this, loadFirstRun, {
    pollMs: () => {
      const { value } = this.#steps;
      return value !== undefined && nextStep(value) === null ? null : pollMs;
    },
  });

  #range(): Range {
    return readRange(this.#place.value.query['range'] ?? '') ?? day;
  }

  protected override render() {
    return html`<gw-page heading="Overview" about="How the gateway does, and what was changed last">
      <gw-range
        slot="actions"
        value=${writeRange(this.#range())}
        @gw-range=${this.#onRange}
      ></gw-range>
      ${troubleOf(this.#now)}
      ${
        this.#steps.value === undefined
          ? nothing
          : html`<gw-checklist .steps=${this.#steps.value}></gw-checklist>`
      }
      ${loaded(this.#now, (now) => this.#all(now))}
    </gw-page>`;
  }

  #all(now: Now) {
    const totals = totalsOf(now.points);
    return html`<div class="tiles">${this.#traffic(totals)} ${this.#state(now)}</div>
      <div class="charts">
        <section>
          <h2>Requests</h2>
          <gw-chart
            label="Requests, upstream errors, client errors and refusals"
            group="overview"
            .times=${now.points.map(({ at }) => Date.parse(at))}
            .format=${formatShort}
            .series=${[
              { label: 'requests', values: now.points.map((one) => one.requests) },
              { label: 'upstream errors', values: now.points.map((one) => one.upstream_errors) },
              { label: 'client errors', values: now.points.map((one) => one.client_errors) },
              { label: 'refused', values: now.points.map(refusedOf) },
            ]}
            @gw-zoom=${this.#onZoom}
          ></gw-chart>
        </section>
        <section>
          <h2>Latency</h2>
          <gw-chart
            label="Latency of answered requests"
            group="overview"
            .times=${now.points.map(({ at }) => Date.parse(at))}
            .format=${formatDuration}
            .series=${[
              { label: 'p50', values: now.points.map((one) => one.p50_ms) },
              { label: 'p95', values: now.points.map((one) => one.p95_ms) },
              { label: 'p99', values: now.points.map((one) => one.p99_ms) },
            ]}
            @gw-zoom=${this.#onZoom}
          ></gw-chart>
        </section>
      </div>
      ${this.#changes(now.changes)}`;
  }

  #traffic(totals: Totals) {
    const { requests, failed, refused, tokens, costMicros, unpriced, p95Ms, worstP95Ms } = totals;
    const query = { range: writeRange(this.#range()) };
    const none = requests === 0;
    return html`<gw-kpi
        label="Requests"
        value=${formatShort(requests)}
        href=${linkTo({ screen: 'usage', query })}
        >${formatShort(tokens)}
        tokens${refused === 0 ? '' : `, ${formatShort(refused)} refused`}</gw-kpi
      >
      <gw-kpi
        label="p95 latency, latest"
        value=${formatDuration(p95Ms)}
        tone=${p95Ms === null ? 'none' : 'plain'}
        href=${linkTo({ screen: 'metrics', query })}
        >${worstP95Ms === null ? '' : `at worst ${formatDuration(worstP95Ms)}`}</gw-kpi
      >
      <gw-kpi
        label="Errors"
        value=${formatShare(failed, requests)}
        tone=${none ? 'none' : failed / requests > 0.01 ? 'bad' : 'plain'}
        href=${linkTo({ screen: 'metrics', query })}
        >${formatCount(failed, 'request')}</gw-kpi
      >
      <gw-kpi
        label="Spend"
        value=${formatMoneyShort(costMicros)}
        tone=${costMicros === null ? 'none' : 'plain'}
        href=${linkTo({ screen: 'usage', query })}
        >${unpriced === 0 ? 'all priced' : `+ ${formatCount(unpriced, 'unpriced request')}`}</gw-kpi
      >`;
  }

  #state({ fleet, version }: Now) {
    return html`<gw-kpi
        label="Backends down"
        value=${String(fleet.down)}
        tone=${fleet.down > 0 ? 'bad' : 'plain'}
        href=${linkTo({ screen: 'fleet' })}
        >of ${fleet.backends}</gw-kpi
      >
      <gw-kpi
        label="Snapshot"
        value=${version === null ? 'none' : `v${version}`}
        tone=${fleet.behind > 0 ? 'warn' : version === null ? 'none' : 'plain'}
        href=${linkTo({ screen: 'fleet' })}
        >${
          fleet.replicas === 0
            ? 'no replica reports'
            : `${fleet.behind} of ${formatCount(fleet.replicas, 'replica')} behind`
        }</gw-kpi
      >`;
  }

  #changes(changes: readonly Command[]) {
    return html`<section class="changes">
      <header>
        <h2>Last changes</h2>
        <a href=${linkTo({ screen: 'history' })}>History</a>
      </header>
      ${
        changes.length === 0
          ? html`<p class="quiet">Nothing was changed yet.</p>`
          : html`<ul>
              ${changes.map(
                ({ id, at, actor_name, actor_kind, command, target, reason }) =>
                  html`<li>
                    <a href=${linkTo({ screen: 'history', rest: [id] })}>${wordsOf(command)}</a
                    ><span class="about">${reason ?? html`<code>${target}</code>`}</span
                    ><span class="who">${actor_name ?? actor_kind}</span
                    ><gw-time at=${at}></gw-time>
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  }

  #show(range: string): void {
    changeQuery({ range });
    void this.#now.reload();
  }

  readonly #onRange = ({ detail }: CustomEvent<string>): void => this.#show(detail);

  readonly #onZoom = ({ detail }: CustomEvent<{ since: number; until: number }>): void =>
    this.#show(writeRange({ kind: 'between', ...detail }));
}

customElements.define('gw-screen-overview', ScreenOverview);
