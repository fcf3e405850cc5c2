// Explains the routing of a request: replays it on the configuration that served it and shows each rule and model next to what was
// recorded.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, text } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import type { Explanation, Rule } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import '../../elements/money.ts';
import { Resource } from '../../elements/resource.ts';
import { fateOf, verdictOf, wayOf } from '../../lib/routing/explain.ts';
import { matchedValue } from '../../lib/routing/matched-value.ts';
import { ruleName } from '../../lib/routing/rule-name.ts';
import { conditionsOf } from '../../lib/routing/rule-text.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

class GwUsageExplain extends element({
  requestId: text(),
}) {
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

      .conditions {
        display: grid;
        flex-basis: 100%;
        gap: 0.1875rem;
        margin: 0.25rem 0 0;
        padding-left: calc(1.25rem + var(--space-2));
        font-size: var(--text-s);
        list-style: none;
      }

      .rows .conditions li {
        display: flex;
        flex-wrap: nowrap;
        gap: var(--space-2);
        min-height: 0;
        padding: 0;
        border: 0;
      }

      .conditions gw-icon {
        flex: none;
        margin-top: 0.125rem;
      }

      .conditions .met gw-icon {
        color: var(--good);
      }

      .conditions .failed gw-icon {
        color: var(--bad);
      }

      .rows > li.decides {
        box-shadow: inset 3px 0 var(--good);
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
  readonly #explained = new Resource(this, async (signal) => {
    const { body } = await call('GET', '/admin/usage/{id}/explain', {
      params: { id: this.requestId },
      signal,
    });
    return { explained: body, rules: await rulesThen(body, signal) };
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('requestId') !== undefined) void this.#explained.reload();
  }

  protected override render() {
    const { value, failure } = this.#explained;
    return html`<div class="section">
        <h3>Routing decision</h3>
        ${
          value === undefined
            ? nothing
            : html`<a class="button" href=${this.#configuration(value.explained)}
                ><gw-icon name="clock"></gw-icon>Configuration as of this request</a
              >`
        }
      </div>
      <gw-error .failure=${failure}></gw-error>
      ${value === undefined ? nothing : this.#all(value)}`;
  }

  /**
   * Opens the frontend model as it was, with the deciding rule marked and the request in the dry run. A directly requested model opens its
   * own page.
   */
  #configuration({ rules, usage, snapshot_version: version }: Explanation): string {
    const query = { as_of: String(version) };
    const deciding = rules.findLast(({ decides }) => decides);
    const entry = deciding?.frontend_model_id ?? usage.frontend_model_id ?? null;
    if (entry === null) {
      return linkTo({
        screen: 'models',
        rest: usage.model_id === null ? [] : [usage.model_id],
        query,
      });
    }
    const rule = deciding === undefined ? {} : { rule: String(deciding.rule_id) };
    const asked = { ...query, replay: this.requestId, ...rule };
    return linkTo({ screen: 'frontend-models', rest: [entry], query: asked });
  }

  #all({ explained, rules }: Loaded) {
    return html`${this.#agreement(explained)} ${this.#rules(explained, rules)}
    ${this.#candidates(explained)} ${this.#notes(explained)}`;
  }

  #agreement({ agrees, differences, denied, snapshot_version: version }: Explanation) {
    const was =
      denied === null
        ? nothing
        : html`<p>Denied with status ${denied.status}: ${denied.message}</p>`;
    if (agrees) {
      return html`<div class="notice">
        <p class="agrees">
          <gw-icon name="circle-check"></gw-icon>Version ${version} reproduces this decision
        </p>
        ${was}
      </div>`;
    }
    return html`<div class="notice warn">
      <strong>Replaying this request gives a different result:</strong>
      <ul>
        ${differences.map((text) => html`<li>${text}</li>`)}
      </ul>
      ${was}
    </div>`;
  }

  #rules(explained: Explanation, held: Rules) {
    const { rules, route } = explained;
    const [entry] = rules;
    return html`<div class="section">
        <h3>Rules</h3>
        ${route === null ? nothing : html`<code>${route}</code>`}
        ${entry === undefined ? nothing : this.#again(entry.frontend_model_id)}
      </div>
      ${
        rules.length === 0
          ? html`<p class="quiet">This model name has no routing rules.</p>`
          : html`<ol class="rows">
              ${rules.map((rule) => this.#rule(rule, explained, held.get(rule.rule_id)))}
            </ol>`
      }`;
  }

  #again(frontendModelId: number) {
    const query = { replay: this.requestId };
    return html`<a
      class="button"
      href=${linkTo({ screen: 'frontend-models', rest: [frontendModelId], query })}
      ><gw-icon name="route"></gw-icon>Replay</a
    >`;
  }

  #rule(
    rule: Explanation['rules'][number],
    { usage, snapshot_version: version }: Explanation,
    held: Rule | undefined,
  ) {
    const { tone, word, detail } = verdictOf(rule);
    const asOf = { as_of: String(version), rule: String(rule.rule_id) };
    const name = held === undefined ? `Rule #${rule.rule_id}` : ruleName(held);
    return html`<li class=${rule.decides ? 'decides' : ''}>
      <span class="number">${rule.rule_index + 1}</span>
      <span
        ><a
          href=${linkTo({ screen: 'frontend-models', rest: [rule.frontend_model_id], query: asOf })}
          >${name}</a
        >
        <span class="quiet">of ${rule.frontend_model}</span></span
      >
      <gw-badge class="end" tone=${tone}>${word}</gw-badge>
      ${held === undefined ? nothing : this.#conditions(held, rule.failed, usage)}
      <span class="about">${detail}</span>
    </li>`;
  }

  /** With the values of the request. */
  #conditions(held: Rule, failed: readonly string[], usage: Explanation['usage']) {
    const conditions = conditionsOf(held, (id) =>
      id === usage.principal_id ? usage.principal : `principal ${id}`,
    );
    const to =
      held.action === 'route'
        ? `Routes to ${held.targets.map(({ model }) => model).join(', then ') || 'no targets'}`
        : held.action === 'deny'
          ? `Denies with status ${held.deny_status}`
          : 'Continues with another frontend model';
    return html`<ul class="conditions">
      ${conditions.length === 0 ? html`<li>Every request</li>` : nothing}
      ${conditions.map(({ fields, text }) => {
        const isMet = !fields.some((field) => failed.includes(field));
        return html`<li class=${isMet ? 'met' : 'failed'}>
          <gw-icon name=${isMet ? 'check' : 'x'}></gw-icon>
          <span
            >${text} <span class="quiet">(request: ${matchedValue(fields, usage)})</span
            ><span class="only-read">, ${isMet ? 'met' : 'not met'}</span></span
          >
        </li>`;
      })}
      <li><gw-icon name="arrow-right"></gw-icon><span>${to}</span></li>
    </ul>`;
  }

  #candidates({ candidates, usage, snapshot_version: version }: Explanation) {
    return html`<div class="section"><h3>Fallback order</h3></div>
      ${
        candidates.length === 0
          ? html`<p class="quiet">No model was selected.</p>`
          : html`<ol class="rows">
              ${candidates.map((one, index) => this.#candidate(one, { index, version, usage }))}
            </ol>`
      }`;
  }

  #candidate(
    candidate: Explanation['candidates'][number],
    {
      index,
      version,
      usage,
    }: Readonly<{
      index: number;
      version: number;
      usage: Explanation['usage'];
    }>,
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
      <span class="quiet end">estimated <gw-money exact .micros=${cost}></gw-money></span>
      ${
        candidate.answered && usage.cost_micros !== null
          ? html`<span class="quiet"
              >actual <gw-money exact .micros=${usage.cost_micros}></gw-money
            ></span>`
          : nothing
      }
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

type Rules = ReadonlyMap<number, Rule>;
type Loaded = Readonly<{ explained: Explanation; rules: Rules }>;

/** By id, as they were, for all frontend models that the request passed. */
async function rulesThen(
  { rules, snapshot_version: version }: Explanation,
  signal: AbortSignal,
): Promise<Rules> {
  const ids = [...new Set(rules.map((rule) => rule.frontend_model_id))];
  const owners = await Promise.all(
    ids.map((id) =>
      call('GET', '/admin/frontend-models/{id}', {
        params: { id },
        query: { as_of: String(version) },
        signal,
      }),
    ),
  );
  return new Map(owners.flatMap(({ body }) => body.rules.map((rule) => [rule.id, rule] as const)));
}

customElements.define('gw-usage-explain', GwUsageExplain);
