// Draws the rules of a frontend model in the order of evaluation, with the result of the dry run. Rules are reordered by drag and drop or
// arrow keys.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { element, flag, given, state, text } from '../../elements/element.ts';
import type { DryRun, FrontendModel, Rule } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/icon.ts';
import { verdictOn } from '../../lib/routing/dry-run.ts';
import { moved } from '../../lib/text/moved.ts';
import { routeOf, ruleName } from '../../lib/routing/rule-name.ts';
import { placeAt } from '../../lib/routing/rule-order.ts';
import { conditionsOf } from '../../lib/routing/rule-text.ts';
import { linkTo, place } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { chainOf } from './chain.ts';
import type { Routing } from './load.ts';
import type { Names } from './rule-saves.ts';
import { rulesStyles } from './rules-styles.ts';

const actionWords = { route: 'Route to', deny: 'Deny', jump: 'Continue with' } as const;

type Drag = Readonly<{ from: number; to: number }>;

/** Dispatches `gw-order` with the ids in their new order, and `gw-delete` and `gw-switch` with the id of a rule. */
class GwRules extends element({
  owner: given<FrontendModel>(),
  /** The shown order can be unsaved. */
  rules: given<readonly Rule[]>([]),
  routing: given<Routing>(),
  names: given<Names>(),
  /** Null before the first dry run. */
  answer: given<DryRun | null>(null),
  /** The rule whose form is in the slot `form`; empty for none. */
  editing: text(''),
  /** The rule that decided the request of the link; empty for none. */
  marked: text(''),
  writable: flag(),
  drag: state<Drag | null>(null),
  announced: state(''),
}) {
  static override styles = [base, buttons, rulesStyles];
  #focusOn: number | null = null;

  /** Keeps the focus on a rule that was moved with the keyboard. */
  protected override updated(changed: PropertyValues): void {
    if (this.#focusOn === null || !changed.has('rules')) return;
    this.renderRoot.querySelector<HTMLElement>(`[data-rule="${this.#focusOn}"] .grip`)?.focus();
    this.#focusOn = null;
  }

  protected override render() {
    return html`<ol class="rules" aria-label="Rules">
        ${repeat(
          this.rules,
          ({ id }) => id,
          (rule, index) => this.#rule(rule, index),
        )}
      </ol>
      ${this.#defaults()}
      <span class="only-read" role="status">${this.announced}</span>`;
  }

  #rule(rule: Rule, index: number) {
    const verdict = this.answer === null ? null : verdictOn(rule.id, this.answer);
    const isMarked = this.marked === String(rule.id);
    const { drag } = this;
    const mark =
      drag === null || drag.to !== index || drag.from === index
        ? ''
        : drag.to < drag.from
          ? 'before'
          : 'after';
    const classes = [
      rule.enabled ? '' : 'off',
      verdict?.word === 'decides' ? 'decides' : '',
      drag?.from === index ? 'dragged' : '',
      mark,
      isMarked ? 'marked' : '',
    ];
    return html`<li data-rule=${rule.id} class="rule ${classes.join(' ')}">
      <header>
        ${this.writable ? this.#grip(rule, index) : nothing} ${this.#identity(rule)}
        ${verdict === null ? nothing : html`<gw-badge tone=${verdict.tone}>${verdict.word}</gw-badge>`}
        ${isMarked ? html`<gw-badge tone="info">Decided the request</gw-badge>` : nothing}
        <span class="actions">
          ${rule.tag === null ? nothing : html`<span class="tag">tag <code>${rule.tag}</code></span>`}
          ${this.writable ? this.#actions(rule) : nothing}
        </span>
      </header>
      ${
        this.editing === String(rule.id)
          ? html`<div class="form"><slot name="form"></slot></div>`
          : html`<div class="body">
              ${this.#conditions(rule, verdict?.failed ?? null)} ${this.#outcome(rule)}
            </div>`
      }
    </li>`;
  }

  /** Name and id are stable. The value of x-gw-route depends on the order. */
  #identity(rule: Rule) {
    const route = routeOf(this.rules, rule.id);
    return html`<strong class="named">${ruleName(rule)}</strong>
      ${rule.name === null ? nothing : html`<span class="quiet">#${rule.id}</span>`}
      ${
        route === null
          ? html`<gw-badge tone="plain">Disabled</gw-badge>`
          : html`<code class="quiet" title="Value of x-gw-route for requests that match this rule"
              >${route}</code
            >`
      }`;
  }

  #grip(rule: Rule, index: number) {
    return html`<button
      type="button"
      class="plain icon grip"
      aria-label="Move ${ruleName(rule)}, with the arrow keys or by dragging"
      title="Drag, or use the arrow keys"
      @keydown=${(event: KeyboardEvent) => this.#onKey(event, index)}
      @pointerdown=${(event: PointerEvent) => this.#onDown(event, index)}
      @pointermove=${this.#onMove}
      @pointerup=${this.#onUp}
      @pointercancel=${this.#onCancel}
    >
      <gw-icon name="grip-vertical"></gw-icon>
    </button>`;
  }

  #actions(rule: Rule) {
    const { id, enabled } = rule;
    if (this.editing === String(id)) return nothing;
    const { query } = place.get();
    const hrefOf = (...rest: readonly (string | number)[]): string =>
      linkTo({ screen: 'frontend-models', rest: [this.owner.id, 'rules', ...rest], query });
    const name = ruleName(rule);
    return html`<button
        type="button"
        class="switch"
        role="switch"
        aria-checked=${enabled}
        aria-label="Enable ${name}"
        title=${enabled ? 'Disable' : 'Enable'}
        @click=${() => this.dispatchEvent(new CustomEvent('gw-switch', { detail: id }))}
      ></button
      ><a class="button plain icon" aria-label="Edit ${name}" title="Edit" href=${hrefOf(id)}
        ><gw-icon name="pencil"></gw-icon></a
      ><a
        class="button plain icon"
        aria-label="Duplicate ${name}"
        title="Duplicate"
        href=${hrefOf('new', id)}
        ><gw-icon name="copy"></gw-icon></a
      ><button
        type="button"
        class="plain icon"
        aria-label="Delete ${name}"
        title="Delete"
        @click=${() => this.dispatchEvent(new CustomEvent('gw-delete', { detail: id }))}
      >
        <gw-icon name="trash-2"></gw-icon>
      </button>`;
  }

  /** `isMet` is null if it is unknown. */
  #condition(text: string, isMet: boolean | null) {
    if (isMet === null) return html`<li class="chip">${text}</li>`;
    return html`<li class="chip ${isMet ? 'met' : 'failed'}">
      <gw-icon name=${isMet ? 'check' : 'x'}></gw-icon>
      <span>${text}<span class="only-read">, ${isMet ? 'met' : 'not met'}</span></span>
    </li>`;
  }

  #conditions(rule: Rule, failed: readonly string[] | null) {
    const conditions = conditionsOf(rule, this.names.principal);
    return html`<div class="side">
      <span class="word">When</span>
      <ul class="chips">
        ${
          conditions.length === 0
            ? html`<li class="chip any">every request</li>`
            : conditions.map(({ fields, text }) =>
                this.#condition(
                  text,
                  failed === null ? null : !fields.some((field) => failed.includes(field)),
                ),
              )
        }
      </ul>
    </div>`;
  }

  #outcome(rule: Rule) {
    return html`<div class="side">
      <span class="word">${actionWords[rule.action]}</span>
      ${this.#destination(rule)}
    </div>`;
  }

  #destination(rule: Rule) {
    switch (rule.action) {
      case 'route':
        return chainOf(rule.targets, this.routing);
      case 'deny':
        return html`<span
          ><code>${rule.deny_status}</code>
          ${rule.deny_message === null ? nothing : html`<q>${rule.deny_message}</q>`}</span
        >`;
      case 'jump': {
        const to = this.routing.frontendModels.find(({ id }) => id === rule.jump_to);
        if (to === undefined) return html`<gw-badge tone="warn">Deleted frontend model</gw-badge>`;
        return html`<a class="jump" href=${linkTo({ screen: 'frontend-models', rest: [to.id] })}
          ><gw-icon name="arrow-right"></gw-icon>${to.name}</a
        >`;
      }
    }
  }

  #defaults() {
    const { answer, owner, routing } = this;
    const isDefault =
      answer !== null && answer.rule_id === null && answer.frontend_model === owner.name;
    return html`<div class="rule last ${isDefault ? 'decides' : ''}">
      <header>
        <code class="number">default</code>
        ${isDefault ? html`<gw-badge tone="good">decides</gw-badge>` : nothing}
        <span class="quiet">when no rule matches</span>
      </header>
      <div class="body">
        <div class="side">
          <span class="word">Route to</span>${chainOf(owner.default_targets, routing)}
        </div>
        <div class="side">
          <span class="word">Fallback</span>
          ${
            routing.fallback === null
              ? html`<span class="quiet">No fallback: the request is rejected</span>`
              : html`<span class="target"
                  ><a href=${linkTo({ screen: 'models', rest: [routing.fallback.id] })}
                    >${routing.fallback.name}</a
                  ><span class="note">global fallback model</span></span
                >`
          }
        </div>
      </div>
    </div>`;
  }

  #order(from: number, to: number): void {
    const ids = this.rules.map(({ id }) => id);
    const detail = moved(ids, from, to);
    if (detail === ids) return;
    const rule = this.rules[from];
    if (rule === undefined) return;
    this.announced = `${ruleName(rule)} is now at position ${to + 1} of ${ids.length}`;
    this.dispatchEvent(new CustomEvent('gw-order', { detail }));
  }

  #onKey(event: KeyboardEvent, index: number): void {
    const last = this.rules.length - 1;
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0 || to > last) return;
    this.#focusOn = this.rules[index]?.id ?? null;
    this.#order(index, to);
  }

  #onDown(event: PointerEvent, from: number): void {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.drag = { from, to: from };
  }

  readonly #onMove = ({ clientY }: PointerEvent): void => {
    if (this.drag === null) return;
    const cards = [...this.renderRoot.querySelectorAll('li.rule')];
    const boxes = cards.map((card) => card.getBoundingClientRect());
    const to = placeAt(clientY, boxes, this.drag.from);
    if (to !== this.drag.to) this.drag = { from: this.drag.from, to };
  };

  readonly #onUp = (): void => {
    const { drag } = this;
    this.drag = null;
    if (drag !== null) this.#order(drag.from, drag.to);
  };

  readonly #onCancel = (): void => {
    this.drag = null;
  };
}

customElements.define('gw-rules', GwRules);
