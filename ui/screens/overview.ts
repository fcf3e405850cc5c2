// Defines the Overview screen: health, recent changes, and the first-run checklist until it is complete.

import { LitElement, html, nothing } from 'lit';

import type { SeriesPoint } from '../api/records.ts';
import '../elements/chart/kpi.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import {
  formatCount,
  formatDuration,
  formatMoneyShort,
  formatShare,
  formatShort,
} from '../lib/text/format.ts';
import { nextStep } from '../lib/observe/first-run.ts';
import type { Step } from '../lib/observe/first-run.ts';
import { bucketsOf, wholeSums } from '../lib/observe/buckets.ts';
import { readRange, writeRange } from '../lib/page/range.ts';
import type { Range } from '../lib/page/range.ts';
import { latencySeries, latencyText, refusedOf, totalsOf } from '../lib/observe/series.ts';
import type { Totals } from '../lib/observe/series.ts';
import { unpricedText } from '../lib/observe/usage.ts';
import { ChangeMarkers, routingKinds } from '../parts/change-markers.ts';
import { lookActions } from '../parts/look-actions.ts';
import { panel } from '../parts/panel.ts';
import { subjectLink } from '../parts/subject.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { base } from '../styles/base.ts';
import { panels } from '../styles/panels.ts';
import './overview/checklist.ts';
import { loadFirstRun, loadNow } from './overview/load.ts';
import { overviewStyles } from './overview/styles.ts';

const text = {
  heading: 'Overview',
  about: 'Gateway health and recent changes',
  requests: 'Requests, upstream errors, client errors and refusals',
  latency: 'Latency of successful requests',
  noReplica: 'No replica reports',
  changes: 'Recent changes',
  noChanges: 'No changes yet.',
};

const day: Range = { kind: 'last', ms: 24 * 3_600_000 };
const pollMs = 15_000;

type Now = Awaited<ReturnType<typeof loadNow>>;

class ScreenOverview extends LitElement {
  static override styles = [base, panels, overviewStyles];
  readonly #place = new Watch(this, place);
  readonly #now = new Resource(this, (signal) => loadNow(this.#range(), signal), {
    pollMs,
    pausable: true,
    question: () => writeRange(this.#range()),
  });
  readonly #marked = new ChangeMarkers(this, {
    range: () => this.#range(),
    kinds: routingKinds,
  });
  /** Once all steps are done, the checklist needs no data. */
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
    return html`<gw-page heading=${text.heading} about=${text.about}>
      ${lookActions({ range: this.#range(), shown: this.#now, choose: this.#show })}
      ${failureNotice(this.#now)}
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
    return html`<div class="shown ${this.#now.isOld ? 'old' : ''}">
        <div class="tiles">${this.#traffic(now, totals)} ${this.#state(now)}</div>
        <div class="charts">${this.#charts(now)}</div>
      </div>
      ${this.#changes(now.changes)}`;
  }

  #charts({ points, edges, widthMs }: Now) {
    const buckets = bucketsOf(points, { edges, widthMs });
    const sum = (label: string, of: (point: SeriesPoint) => number) => ({
      label,
      values: points.map(of),
    });
    const shared = {
      level: 2,
      group: 'overview',
      times: buckets.times,
      markers: this.#marked.shown,
      onZoom: this.#onZoom,
    } as const;
    return [
      panel({
        ...shared,
        title: 'Requests',
        label: text.requests,
        format: formatShort,
        series: wholeSums(
          [
            sum('requests', (one) => one.requests),
            sum('upstream errors', (one) => one.upstream_errors),
            sum('client errors', (one) => one.client_errors),
            sum('refused', refusedOf),
          ],
          buckets,
        ),
      }),
      panel({
        ...shared,
        title: 'Latency',
        label: text.latency,
        scaled: true,
        format: formatDuration,
        series: latencySeries(points),
      }),
    ];
  }

  #traffic({ latency }: Now, totals: Totals) {
    const { requests, failed, refused, tokens, costMicros, unpriced } = totals;
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
        label="p95 latency"
        value=${formatDuration(latency.p95)}
        tone=${latency.p95 === null ? 'none' : 'plain'}
        href=${linkTo({ screen: 'usage', query: { ...query, sort: '-p95_ms' } })}
        >${latencyText(latency)}</gw-kpi
      >
      <gw-kpi
        label="Errors"
        value=${formatShare(failed, requests)}
        tone=${none ? 'none' : failed / requests > 0.01 ? 'bad' : 'plain'}
        href=${linkTo({ screen: 'metrics', query: { ...query, sort: '-failed' } })}
        >${formatCount(failed, 'request')}</gw-kpi
      >
      <gw-kpi
        label="Spend"
        value=${formatMoneyShort(costMicros)}
        tone=${costMicros === null ? 'none' : 'plain'}
        href=${linkTo({
          screen: 'usage',
          query: unpriced === 0 ? query : { ...query, sort: '-unpriced_requests' },
        })}
        >${unpricedText(totals)}</gw-kpi
      >`;
  }

  #state({ fleet, version }: Now) {
    const backends = { show: 'backends', ...(fleet.down === 0 ? {} : { q: 'down on' }) };
    return html`<gw-kpi
        label="Backends down"
        value=${String(fleet.down)}
        tone=${fleet.down > 0 ? 'bad' : 'plain'}
        href=${linkTo({ screen: 'fleet', query: backends })}
        >of ${fleet.backends}</gw-kpi
      >
      <gw-kpi
        label="Snapshot"
        value=${version === null ? 'none' : `v${version}`}
        tone=${fleet.behind > 0 ? 'warn' : version === null ? 'none' : 'plain'}
        href=${linkTo({ screen: 'fleet', query: fleet.behind > 0 ? { sort: '-lag' } : {} })}
        >${
          fleet.replicas === 0
            ? text.noReplica
            : `${fleet.behind} of ${formatCount(fleet.replicas, 'replica')} behind`
        }</gw-kpi
      >`;
  }

  #changes(changes: Now['changes']) {
    return html`<section class="panel changes">
      <header>
        <h2>${text.changes}</h2>
        <a href=${linkTo({ screen: 'history' })}>History</a>
      </header>
      ${
        changes.length === 0
          ? html`<p class="quiet">${text.noChanges}</p>`
          : html`<ul>
              ${changes.map(
                ({ id, at, actor_name, actor_kind, summary, subject, reason }) =>
                  html`<li>
                    <a href=${linkTo({ screen: 'history', rest: [id] })}>${summary}</a
                    ><span class="about"
                      >${subjectLink(subject)}${reason === null ? nothing : html`<span class="reason">${reason}</span>`}</span
                    ><span class="who">${actor_name ?? actor_kind}</span
                    ><gw-time at=${at}></gw-time>
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  }

  readonly #show = (range: string): void => changeQuery({ range });

  readonly #onZoom = ({ detail }: CustomEvent<{ since: number; until: number }>): void =>
    this.#show(writeRange({ kind: 'between', ...detail }));
}

customElements.define('gw-screen-overview', ScreenOverview);
