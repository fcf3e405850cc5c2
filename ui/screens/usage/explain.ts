// Why a request went where it went: routed again on the configuration that served it, rule by rule and model by model, beside what was
// recorded.

import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { explainUsage } from '../../api/usage.ts';
import type { Explanation } from '../../api/usage.ts';
import '../../elements/badge.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import '../../elements/money.ts';
import { Resource } from '../../elements/resource.ts';
import { fateOf, verdictOf, wayOf } from '../../lib/explain.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

export class GwUsageExplain extends LitElement {
  static override properties = { requestId: { type: String } };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .rows li {
        flex-wrap: wrap;
        align-items: baseline;
        gap: 0 var(--space-2);
        padding-block: 0.375rem;
      }

      .number {
        min-width: 1.25rem;
        color: var(--text-3);
        text-align: left;
      }

      .about {
        flex-basis: 100%;
        padding-left: calc(1.25rem + var(--space-2));
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .about:empty {
        display: none;
      }

      .agrees {
        display: flex;
        align-items: center;
        gap: var(--space-2);
      }

      .agrees gw-icon {
        flex: none;
        color: var(--good);
      }

      .notes {
        margin-top: var(--space-3);
        padding-left: var(--space-4);
        color: var(--text-2);
        font-size: var(--text-s);
        list-style: disc;
      }
    `,
  ];
  declare requestId: string;
  readonly #explained = new Resource(this, async (signal) => {
    const { body } = await explainUsage(this.requestId, signal);
    return body;
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('requestId') !== undefined) void this.#explained.reload();
  }

  protected override render() {
    const { value, failure } = this.#explained;
    return html`<div class="section">
        <h3>Why it went there</h3>
        ${
          value === undefined
            ? nothing
            : html`<a
                class="button"
                href=${linkTo({
                  screen: 'models',
                  query: { as_of: String(value.snapshot_version) },
                })}
                ><gw-icon name="clock"></gw-icon>Configuration as of this request</a
              >`
        }
      </div>
      <gw-error .failure=${failure}></gw-error>
      ${value === undefined ? nothing : this.#all(value)}`;
  }

  #all(explained: Explanation) {
    return html`${this.#agreement(explained)} ${this.#rules(explained)}
    ${this.#candidates(explained)} ${this.#notes(explained)}`;
  }

  #agreement({ agrees, differences, denied, snapshot_version: version }: Explanation) {
    const was =
      denied === null
        ? nothing
        : html`<p>It is denied with ${denied.status}: ${denied.message}</p>`;
    if (agrees) {
      return html`<div class="notice">
        <p class="agrees">
          <gw-icon name="circle-check"></gw-icon>Version ${version} routes it as it was recorded
        </p>
        ${was}
      </div>`;
    }
    return html`<div class="notice warn">
      <strong>It does not come out as it was recorded:</strong>
      <ul>
        ${differences.map((text) => html`<li>${text}</li>`)}
      </ul>
      ${was}
    </div>`;
  }

  #rules({ rules, route, snapshot_version: version }: Explanation) {
    const [entry] = rules;
    return html`<div class="section">
        <h3>Rules</h3>
        ${route === null ? nothing : html`<code>${route}</code>`}
        ${entry === undefined ? nothing : this.#again(entry.frontend_model_id)}
      </div>
      ${
        rules.length === 0
          ? html`<p class="quiet">The name is not that of a frontend model with rules.</p>`
          : html`<ol class="rows">
              ${rules.map((rule) => this.#rule(rule, version))}
            </ol>`
      }`;
  }

  /** The same question to the rules as they are now, beside which it can be changed. */
  #again(frontendModelId: number) {
    const query = { replay: this.requestId };
    return html`<a
      class="button"
      href=${linkTo({ screen: 'frontend-models', rest: [frontendModelId], query })}
      ><gw-icon name="route"></gw-icon>Ask again</a
    >`;
  }

  #rule(rule: Explanation['rules'][number], version: number) {
    const { tone, word, detail } = verdictOf(rule);
    const asOf = { as_of: String(version) };
    return html`<li>
      <span class="number">${rule.rule_index + 1}</span>
      <span
        ><a
          href=${linkTo({ screen: 'frontend-models', rest: [rule.frontend_model_id], query: asOf })}
          >${rule.frontend_model}</a
        >, ${rule.action.replaceAll('_', ' ')}</span
      >
      <gw-badge class="end" tone=${tone}>${word}</gw-badge>
      <span class="about">${detail}</span>
    </li>`;
  }

  #candidates({ candidates, snapshot_version: version }: Explanation) {
    return html`<div class="section"><h3>Models, in their order</h3></div>
      ${
        candidates.length === 0
          ? html`<p class="quiet">The decision led to no model.</p>`
          : html`<ol class="rows">
              ${candidates.map((one, index) => this.#candidate(one, { index, version }))}
            </ol>`
      }`;
  }

  #candidate(
    candidate: Explanation['candidates'][number],
    { index, version }: Readonly<{ index: number; version: number }>,
  ) {
    const { tone, word, detail } = fateOf(candidate);
    const { model, model_id: id, provider, estimated_cost_micros: cost } = candidate;
    const about = [wayOf(candidate), detail].filter((text) => text !== '').join('; ');
    return html`<li>
      <span class="number">${index + 1}</span>
      <span
        ><a href=${linkTo({ screen: 'models', rest: [id], query: { as_of: String(version) } })}
          >${model}</a
        >${provider === null ? '' : `, ${provider}`}</span
      >
      <gw-money class="quiet end" exact .micros=${cost}></gw-money>
      <gw-badge tone=${tone}>${word}</gw-badge>
      <span class="about">${about}</span>
    </li>`;
  }

  #notes({ not_recorded: notes }: Explanation) {
    if (notes.length === 0) return nothing;
    return html`<ul class="notes">
      ${notes.map((text) => html`<li>${text}</li>`)}
    </ul>`;
  }
}

customElements.define('gw-usage-explain', GwUsageExplain);

declare global {
  interface HTMLElementTagNameMap {
    'gw-usage-explain': GwUsageExplain;
  }
}
