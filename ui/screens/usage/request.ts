// Draws one request: its outcome, routing, tokens and cost.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, text } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import type { UsageEvent } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/empty.ts';
import '../../elements/error.ts';
import '../../elements/money.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { formatCount, formatDuration, formatNumber } from '../../lib/text/format.ts';
import { attemptsText, outcomeOf } from '../../lib/observe/usage-outcome.ts';
import { screenNamed } from '../../screens.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import { costFacts, costTable } from './cost.ts';
import './explain.ts';

class GwUsageRequest extends element({
  requestId: text(),
}) {
  static override styles = [base, record];
  readonly #row = new Resource(this, async (signal) => {
    const { body } = await call('GET', '/admin/usage/events', {
      query: { id: this.requestId, include: 'breakdown' },
      signal,
    });
    return body;
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('requestId') !== undefined) void this.#row.reload();
  }

  protected override render() {
    const { value: rows, failure } = this.#row;
    if (failure !== null) {
      return html`<gw-error
        retriable
        .failure=${failure}
        @gw-retry=${() => this.#row.reload()}
      ></gw-error>`;
    }
    if (rows === undefined) return nothing;
    const [row] = rows;
    if (row !== undefined) return this.#record(row);
    return html`<gw-empty heading="Request not found">
      <span slot="about"
        >Requests are deleted after their retention period. Their totals are kept.</span
      >
    </gw-empty>`;
  }

  #record(row: UsageEvent) {
    const { tone, word } = outcomeOf(row);
    const facts: readonly (readonly [string, unknown])[] = [
      ['Outcome', html`<gw-badge tone=${tone}>${word}</gw-badge>`],
      ['Time', html`<gw-time absolute at=${row.at}></gw-time>`],
      ['ID', html`<code>${row.id}</code><gw-copy text=${row.id} label="id"></gw-copy>`],
      ['Principal', html`${row.principal}${this.#link('principals', row.principal_id)}`],
      [
        'Requested model',
        html`${this.#asOf(row, 'frontend-models', row.frontend_model_id, row.virtual_model)} at
          <code>${row.path}</code>`,
      ],
      [
        'Served by',
        row.model === null
          ? 'none'
          : html`${this.#asOf(row, 'models', row.model_id, row.model)},
            ${this.#asOf(row, 'providers', row.provider_id, row.provider ?? 'a deleted provider')}`,
      ],
      [
        'Route',
        html`<code>${row.route ?? 'none'}</code>${row.tag === null ? '' : `, tagged ${row.tag}`}`,
      ],
      [
        'Prompt class',
        row.prompt_class === null
          ? 'none'
          : this.#asOf(row, 'prompt-classes', row.prompt_class_id, row.prompt_class),
      ],
      ['Attempts', attemptsText(row)],
      [
        'Tokens',
        row.usage_reported || row.usage_estimated
          ? `${formatNumber(row.prompt_tokens)} in, ${formatNumber(row.completion_tokens)} out${row.usage_estimated ? ' (estimated)' : ''}`
          : 'not reported',
      ],
      ...costFacts(row),
      [
        'Duration',
        `${formatDuration(row.duration_ms)}${row.ttft_ms === null ? '' : `, first token after ${formatDuration(row.ttft_ms)}`}`,
      ],
      ['Prompt estimate', formatCount(row.prompt_estimate, 'token')],
      ['Replica', html`<code>${row.replica}</code>`],
      [
        'Snapshot',
        html`<a href=${linkTo({ screen: 'history', rest: ['versions', row.snapshot_version] })}
          >version ${row.snapshot_version}</a
        >`,
      ],
    ];
    return html`<dl>
        ${facts.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      ${costTable(row)}
      <gw-usage-explain .requestId=${row.id}></gw-usage-explain>`;
  }

  /** Links the record at the version that served the request. */
  #asOf(
    { snapshot_version: version }: UsageEvent,
    screen: string,
    id: number | null,
    name: string,
  ) {
    if (id === null || screenNamed(screen) === undefined) return name;
    const query = { as_of: String(version) };
    return html`<a href=${linkTo({ screen, rest: [id], query })} title="As of version ${version}"
      >${name}</a
    >`;
  }

  #link(screen: string, id: number) {
    if (screenNamed(screen) === undefined) return nothing;
    return html` <a href=${linkTo({ screen, rest: [id] })}>open</a>`;
  }
}

customElements.define('gw-usage-request', GwUsageRequest);
