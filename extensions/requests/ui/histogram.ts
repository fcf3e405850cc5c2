// Draws a histogram as bars that narrow the filter when they are followed. A second group is drawn next to the first.

import { css, html, nothing, svg } from 'lit';

import { element, given, text } from '../../../ui/elements/element.ts';
import { formatCount, formatShare } from '../../../ui/lib/text/format.ts';
import { base } from '../../../ui/styles/base.ts';
import { drawnBars, heightsOf } from './bars.ts';
import type { Bar, DrawnBar } from './bars.ts';

type Height = ReturnType<typeof heightsOf>[number];

class GwHistogram extends element({
  label: text(),
  bars: given<readonly Bar[]>([]),
  /** Null without a comparison. */
  others: given<readonly Bar[] | null>(null),
  format: given<(value: number) => string>(String),
  hrefOf: given<(bar: Pick<Bar, 'from' | 'below'>) => string>(() => ''),
}) {
  static override styles = [
    base,
    css`
      ul {
        display: flex;
        align-items: stretch;
        height: 11.75rem;
      }

      li {
        display: flex;
        flex: 1 1 0;
        flex-direction: column;
        min-width: 1.5rem;
        max-width: 6rem;
      }

      a {
        display: block;
        flex: 1;
        padding: 0 1px;
        border-bottom: 1px solid var(--line-strong);
        border-radius: var(--radius-s) var(--radius-s) 0 0;
      }

      a:hover {
        background: var(--hover);
      }

      svg {
        display: block;
        width: 100%;
        height: 100%;
      }

      .requests {
        fill: var(--series-1);
      }

      .failed {
        fill: var(--bad);
      }

      .other {
        fill: var(--series-2);
      }

      .tick {
        height: 1.125rem;
        padding-top: 0.125rem;
        overflow: visible;
        color: var(--text-2);
        font-size: 0.6875rem;
        font-variant-numeric: tabular-nums;
        line-height: 1.2;
        white-space: nowrap;
      }

      .none {
        display: grid;
        place-items: center;
        height: 11.75rem;
        color: var(--text-2);
      }
    `,
  ];

  protected override render() {
    const bars = drawnBars(this.bars, this.others ?? []);
    if (bars.length === 0) return html`<p class="none">No requests with a value</p>`;
    const heights = heightsOf(bars);
    const sums = {
      requests: bars.reduce((sum, { requests }) => sum + requests, 0),
      other: bars.reduce((sum, { other }) => sum + other, 0),
    };
    return html`<ul aria-label=${this.label}>
      ${bars.map((bar, index) => this.#bar(bar, { height: heights[index], bars, sums }))}
    </ul>`;
  }

  #bar(
    bar: DrawnBar,
    {
      height,
      bars,
      sums,
    }: Readonly<{
      height: Height | undefined;
      bars: readonly DrawnBar[];
      sums: Readonly<{ requests: number; other: number }>;
    }>,
  ) {
    const span = this.#span(bar);
    const failed = bar.failed === 0 ? '' : `, ${formatCount(bar.failed, 'failed', 'failed')}`;
    const counted = `${formatCount(bar.requests, 'request')} (${formatShare(bar.requests, sums.requests)})${failed}`;
    const compared = this.others === null ? '' : `; compared ${formatShare(bar.other, sums.other)}`;
    return html`<li>
      <a
        href=${this.hrefOf(bar)}
        title="${span}: ${counted}${compared}"
        aria-label="${span}: ${counted}${compared}"
      >
        <svg aria-hidden="true" preserveAspectRatio="none">
          ${height === undefined ? nothing : this.#rects(height)}
        </svg>
      </a>
      <span class="tick" aria-hidden="true"
        >${isTicked(bar, bars) ? this.format(bar.from) : ''}</span
      >
    </li>`;
  }

  #rects({ requests, failed, other }: Height) {
    const isCompared = this.others !== null;
    const width = isCompared ? '48%' : '94%';
    return [
      rect({ kind: 'requests', x: '3%', width, share: requests }),
      isCompared
        ? rect({ kind: 'other', x: '51%', width: '46%', share: other })
        : rect({ kind: 'failed', x: '3%', width, share: failed }),
    ];
  }

  #span({ from, below }: Pick<Bar, 'from' | 'below'>): string {
    if (below === null) return `from ${this.format(from)}`;
    return from === 0
      ? `below ${this.format(below)}`
      : `${this.format(from)} to ${this.format(below)}`;
  }
}

/** All bars if there are few, otherwise powers of ten. */
const isTicked = ({ from }: DrawnBar, bars: readonly DrawnBar[]): boolean =>
  bars.length <= 5 || (from > 0 && Number.isInteger(Math.log10(from)));

type Rect = Readonly<{ kind: string; x: string; width: string; share: number }>;

/** A bar of few requests stays visible. */
const rect = ({ kind, x, width, share }: Rect) => {
  const high = share === 0 ? 0 : Math.max(1.5, share * 96);
  return svg`<rect class=${kind} x=${x} width=${width} y=${`${100 - high}%`} height=${`${high}%`} rx="2"></rect>`;
};

customElements.define('gw-histogram', GwHistogram);
