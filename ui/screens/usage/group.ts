// Draws the totals of a group and a link to its record.

import { html, nothing } from 'lit';

import type { UsageEvent } from '../../api/records.ts';
import {
  formatDuration,
  formatMoneyShort,
  formatNumber,
  formatShare,
  formatShort,
} from '../../lib/text/format.ts';
import { changeText, recordOf, unpricedText } from '../../lib/observe/usage.ts';
import { isCorrected, otherCurrencies } from '../../lib/observe/usage-cost.ts';
import type { Grouping } from '../../lib/observe/usage.ts';
import { linkTo } from '../../state/location.ts';
import type { Group } from './load.ts';

/** `row` is any request of the group; it has the id of the record. */
export function groupFacts(
  grouping: Grouping,
  group: Group | undefined,
  row: UsageEvent | undefined,
) {
  const record = row === undefined ? null : recordOf(grouping, row);
  return html`${
    group === undefined
      ? nothing
      : html`<dl>
          <dt>Spend</dt>
          <dd>
            ${formatMoneyShort(group.cost_micros)}
            <span class="quiet">${spendNote(group)}</span>
          </dd>
          ${
            isCorrected(group)
              ? html`<dt>Corrected</dt>
                  <dd>${formatMoneyShort(group.corrected_cost_micros)}</dd>`
              : nothing
          }
          ${
            otherCurrencies(group) === ''
              ? nothing
              : html`<dt>Other currencies</dt>
                  <dd>${otherCurrencies(group)}</dd>`
          }
          <dt>Requests</dt>
          <dd>
            ${formatNumber(group.requests)}
            ${
              group.refused_requests === 0
                ? nothing
                : html`<span class="quiet">${formatNumber(group.refused_requests)} refused</span>`
            }
          </dd>
          <dt>Failed attempts</dt>
          <dd>
            ${group.failed_attempts === null ? 'unknown' : formatNumber(group.failed_attempts)}
          </dd>
          <dt>Tokens</dt>
          <dd>
            ${formatShort(group.prompt_tokens)} in, ${formatShort(group.completion_tokens)} out
            ${
              group.estimated_requests === 0
                ? nothing
                : html`<span class="quiet">
                    plus estimates for requests without reported usage:
                    ${formatShort(group.estimated_prompt_tokens)} in,
                    ${formatShort(group.estimated_completion_tokens)} out
                  </span>`
            }
          </dd>
          <dt>Cached</dt>
          <dd>${cachedText(group)}</dd>
          <dt>Latency</dt>
          <dd>p50 ${formatDuration(group.p50_ms)}, p95 ${formatDuration(group.p95_ms)}</dd>
        </dl>`
  }
  ${
    record === null
      ? nothing
      : html`<p class="open"><a href=${linkTo(record)}>${record.words}</a></p>`
  }`;
}

const cachedText = ({ cache_read_tokens: cached, prompt_tokens: all }: Group): string =>
  cached === null ? 'not reported' : `${formatShare(cached, all)} of prompt tokens`;

function spendNote(group: Group): string {
  const { requests, unpriced_requests: unpriced } = group;
  const change = changeText(group);
  return [
    unpricedText({ requests, unpriced }),
    ...(change === '' ? [] : [change.endsWith('%') ? `${change} vs previous period` : change]),
  ].join(', ');
}
