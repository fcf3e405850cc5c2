// Draws the outcome of one request: response, usage, cost, and the routing decision once its usage row is recorded.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given } from '../../../ui/elements/element.ts';
import { call } from '../../../ui/api/http/call.ts';
import type { UsageEvent } from '../../../ui/api/records.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/copy.ts';
import '../../../ui/elements/money.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { formatDuration, formatNumber } from '../../../ui/lib/text/format.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { base } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';
import '../../../ui/screens/usage/explain.ts';
import type { Timing } from './chat.ts';

/** Usage is recorded in batches, so the row is requested repeatedly. */
const askMs = 1_000;
const asksMax = 40;
/** The newest usage rows, among which the request is searched. */
const newestMax = 50;

class GwPlaygroundOutcome extends element({
  answer: given<ChatAnswer>(),
  timing: given<Timing>(),
}) {
  static override styles = [
    base,
    record,
    css`
      dl {
        margin-top: var(--space-4);
        border-top: 1px solid var(--line);
      }
    `,
  ];
  #asks = 0;
  /** Null until it is recorded. */
  readonly #row = new Resource<UsageEvent | null>(this, (signal) => this.#ask(signal), {
    pollMs: () => (this.#isAwaited() ? askMs : null),
  });

  #id(): string | null {
    return this.answer.headers['x-request-id'] ?? null;
  }

  /** A request of an unknown caller has no usage row. */
  #hasRow(): boolean {
    const { isWhole, status } = this.answer;
    return isWhole && status !== null && status !== 401 && this.#id() !== null;
  }

  #isAwaited(): boolean {
    return this.#hasRow() && (this.#row.value ?? null) === null && this.#asks < asksMax;
  }

  async #ask(signal: AbortSignal): Promise<UsageEvent | null> {
    if (!this.#hasRow()) return null;
    this.#asks += 1;
    const { body: rows } = await call('GET', '/admin/usage/events', {
      query: { limit: newestMax },
      signal,
    });
    return rows.find(({ id }) => id === this.#id()) ?? null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('answer');
    if (before === undefined || before.isWhole === this.answer.isWhole) return;
    this.#asks = 0;
    void this.#row.reload();
  }

  protected override render() {
    const { status, headers, usage, finishReason } = this.answer;
    if (status === null) return nothing;
    const used = usage ?? this.#recorded();
    return html`<dl>
        <dt>Status</dt>
        <dd>
          <gw-badge tone=${status < 400 ? 'good' : 'bad'}>${status}</gw-badge>
          ${finishReason === null ? nothing : html`<span class="quiet">${finishReason}</span>`}
        </dd>
        <dt>Route</dt>
        <dd>${this.#header('x-gw-route')}</dd>
        <dt>Served by</dt>
        <dd>${this.#header('x-gw-served-model')}</dd>
        <dt>Time</dt>
        <dd>${this.#time()}</dd>
        <dt>Tokens</dt>
        <dd>
          ${
            used === null
              ? html`<span class="quiet">${this.answer.isWhole ? 'not reported' : '…'}</span>`
              : `${formatNumber(used.prompt)} in, ${formatNumber(used.completion)} out`
          }
        </dd>
        <dt>Cost</dt>
        <dd>${this.#cost()}</dd>
        ${
          headers['x-request-id'] === undefined
            ? nothing
            : html`<dt>Request</dt>
                <dd>
                  <code>${headers['x-request-id']}</code
                  ><gw-copy text=${headers['x-request-id']} label="request id"></gw-copy>
                </dd>`
        }
      </dl>
      ${this.#explanation()}`;
  }

  #header(name: string) {
    const text = this.answer.headers[name];
    return text === undefined
      ? html`<span class="quiet">none</span>`
      : html`<code>${decoded(text)}</code>`;
  }

  #time() {
    const { firstMs, wholeMs } = this.timing;
    const first = firstMs === null ? '' : `first token after ${formatDuration(firstMs)}`;
    const whole = wholeMs === null ? '' : `total ${formatDuration(wholeMs)}`;
    return [first, whole].filter((text) => text !== '').join(', ');
  }

  #recorded() {
    const row = this.#row.value ?? null;
    return row === null || !row.usage_reported
      ? null
      : { prompt: row.prompt_tokens, completion: row.completion_tokens };
  }

  #cost() {
    const { value: row, failure } = this.#row;
    if (row !== undefined && row !== null) {
      return html`<gw-money exact .micros=${row.cost_micros}></gw-money>`;
    }
    if (failure !== null) return failure.message;
    if (this.answer.isWhole && !this.#hasRow()) return html`<span class="quiet">none</span>`;
    return html`<span class="quiet"
      >${this.#asks >= asksMax ? 'not recorded yet' : 'waiting for its usage row…'}</span
    >`;
  }

  #explanation() {
    const row = this.#row.value ?? null;
    if (row === null) return nothing;
    return html`<gw-usage-explain requestId=${row.id}></gw-usage-explain>
      <p class="section">
        <a href=${linkTo({ screen: 'usage', rest: ['request', row.id] })}>View request</a>
      </p>`;
  }
}

/** Header values are UTF-8 bytes. */
function decoded(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(text, (character) => character.charCodeAt(0)),
    );
  } catch {
    return text;
  }
}

customElements.define('gw-playground-outcome', GwPlaygroundOutcome);
