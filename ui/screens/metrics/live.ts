// Draws the current values from the reports of replicas. Updates can be paused.

import { LitElement, css, html, nothing } from 'lit';

import { call } from '../../api/http/call.ts';
import { getPublished } from '../../api/http/published.ts';
import '../../elements/chart/kpi.ts';
import { failureNotice } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import { isBehind } from '../../lib/observe/fleet.ts';
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  formatShare,
  formatShort,
} from '../../lib/text/format.ts';
import { createFollower } from '../../lib/observe/live.ts';
import type { Sample } from '../../lib/observe/live.ts';
import { panel } from '../../parts/panel.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { panels } from '../../styles/panels.ts';

async function loadFleet(signal: AbortSignal) {
  const [fleet, published] = await Promise.all([
    call('GET', '/admin/fleet', { signal }),
    getPublished(signal),
  ]);
  return { replicas: fleet.body, published };
}

type Fleet = Awaited<ReturnType<typeof loadFleet>>;

const percent = (share: number | null): string =>
  share === null ? 'no data' : formatShare(share, 1);

class GwLiveMetrics extends LitElement {
  static override styles = [
    base,
    panels,
    css`
      h2 {
        margin-bottom: var(--space-3);
      }

      h2 span {
        color: var(--text-2);
        font-size: var(--text-s);
        font-weight: 400;
      }
    `,
  ];
  readonly #follower = createFollower();
  readonly #fleet = new Resource(
    this,
    async (signal) => {
      const fleet = await loadFleet(signal);
      this.#follower.take(fleet.replicas, Date.now());
      return fleet;
    },
    { pollMs: 5_000, pausable: true },
  );

  protected override render() {
    const { value } = this.#fleet;
    const samples = this.#follower.samples();
    const latest = samples.at(-1);
    return html`<h2>
        Now <span>${value === undefined ? '' : this.#source(value.replicas.length)}</span>
      </h2>
      ${failureNotice(this.#fleet)}
      ${
        value === undefined || latest === undefined
          ? nothing
          : html`${this.#tiles(value, latest)}
            ${samples.length < 2 ? nothing : this.#charts(samples)}`
      }`;
  }

  #source(replicas: number): string {
    return replicas === 0
      ? 'No replica is reporting to this process'
      : `Sum over ${formatCount(replicas, 'replica')}`;
  }

  #tiles({ replicas, published }: Fleet, sample: Sample) {
    const { requestsPerSecond, unattributedPerSecond } = sample;
    const { cacheShare, inflight, admitted, queued, capacity } = sample;
    const behind = replicas.filter((one) => isBehind(one, published)).length;
    const rate = formatRate(requestsPerSecond);
    return html`<div class="tiles">
      <gw-kpi
        label="Requests per second"
        value=${rate}
        tone=${requestsPerSecond === null ? 'none' : 'plain'}
        >${requestsPerSecond === null ? 'Waiting for data' : 'between the last two reports'}</gw-kpi
      >
      <gw-kpi
        label="Unattributed"
        value=${unattributedPerSecond === null ? 'no data' : `${formatRate(unattributedPerSecond)}/s`}
        tone=${unattributedPerSecond === null ? 'none' : 'plain'}
        >unknown key or model</gw-kpi
      >
      <gw-kpi label="In flight" value=${formatNumber(inflight)} href=${linkTo({ screen: 'fleet' })}
        >${formatNumber(queued)} queued</gw-kpi
      >
      <gw-kpi
        label="Admitted requests"
        value=${capacity === 0 ? 'no limits' : formatNumber(admitted)}
        tone=${capacity === 0 ? 'none' : 'plain'}
        >${capacity === 0 ? 'No flow control is configured' : `of ${formatNumber(capacity)}, ${formatShare(admitted, capacity)}`}</gw-kpi
      >
      <gw-kpi
        label="Cache hits"
        value=${percent(cacheShare)}
        tone=${cacheShare === null ? 'none' : 'plain'}
        >Hit rate</gw-kpi
      >
      <gw-kpi
        label="Snapshot age"
        value=${published.at === null ? 'no data' : formatDuration(Date.now() - published.at)}
        tone=${published.at === null ? 'none' : behind > 0 ? 'warn' : 'plain'}
        href=${linkTo({ screen: 'fleet' })}
        >${
          published.version === null
            ? 'No version published'
            : `v${published.version}, ${behind} of ${replicas.length} behind`
        }</gw-kpi
      >
    </div>`;
  }

  #charts(samples: readonly Sample[]) {
    const chart = (
      label: string,
      format: (value: number | null) => string,
      series: readonly Readonly<{ label: string; of: (one: Sample) => number | null }>[],
    ) =>
      panel({
        title: label,
        label: `${label}, now`,
        group: 'live',
        height: 120,
        empty: 'Waiting for data',
        times: samples.map(({ at }) => at),
        format,
        series: series.map(({ label: name, of }) => ({ label: name, values: samples.map(of) })),
      });
    return html`<div class="charts">
      ${chart('Requests per second', formatRate, [
        { label: 'all', of: (one) => one.requestsPerSecond },
        { label: 'failed', of: (one) => one.failedPerSecond },
        { label: 'unattributed', of: (one) => one.unattributedPerSecond },
      ])}
      ${chart('In flight and queued', formatShort, [
        { label: 'in flight', of: (one) => one.inflight },
        { label: 'queued', of: (one) => one.queued },
      ])}
      ${chart('Cache hits', percent, [{ label: 'share', of: (one) => one.cacheShare }])}
    </div>`;
  }
}

customElements.define('gw-live-metrics', GwLiveMetrics);
