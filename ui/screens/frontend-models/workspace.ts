// Draws the rules of one frontend model with the dry run. Holds the unsaved order of rules and the
// form of the edited rule.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { keyed } from 'lit/directives/keyed.js';

import { element, flag, given, state, text } from '../../elements/element.ts';
import { list } from '../../api/http/call.ts';
import type { DryRun, FrontendModel, Rule } from '../../api/records.ts';
import type { Prepared } from '../../api/http/call.ts';
import { ApiFailure } from '../../api/http/failure.ts';
import '../../elements/empty.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import { inOrder, isOtherOrder } from '../../lib/routing/rule-order.ts';
import type { Save } from '../../lib/saves/save.ts';
import { edited, forgetEdits } from '../../state/edits.ts';
import { linkTo, place } from '../../state/location.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';
import './dry-run.ts';
import { targetOptions } from './load.ts';
import type { Routing } from './load.ts';
import './rule-form.ts';
import type { Named, RuleRow } from './rule-rows.ts';
import { orderSave, ruleDeletion, ruleSwitch } from './rule-saves.ts';
import type { Names } from './rule-saves.ts';
import './rules.ts';
import { workspaceStyles } from './workspace-styles.ts';

const none: readonly Prepared[] = [];

const nameIn = (all: readonly Named[]) => (id: number) =>
  all.find((one) => one.id === id)?.name ?? `#${id}`;

/** Dispatches `gw-review` with a save, and `gw-cancel` when a form is canceled. */
class GwRulesWorkspace extends element({
  owner: given<FrontendModel>(),
  routing: given<Routing>(),
  /** The id of a rule, or `new`; empty for none. */
  editing: text(''),
  /** The rule that a new one copies; empty for none. */
  copying: text(''),
  failure: given<ApiFailure | null>(null),
  writable: flag(),
  /** Null if the order is unchanged. */
  order: state<readonly number[] | null>(null),
  proposal: state<readonly Prepared[]>(none),
  answer: state<DryRun | null>(null),
}) {
  static override styles = [base, buttons, workspaceStyles];
  #proposedOrder: readonly number[] | null = null;
  readonly #people = new Resource(this, async (signal) => {
    const [principals, roles] = await Promise.all([
      list('/admin/principals', { signal }),
      list('/admin/roles', { signal }),
    ]);
    return {
      principals: principals.map(({ id, name }) => ({ id, name })),
      roles: roles.map(({ name }) => name),
    };
  });

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    forgetEdits(this);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (this.order !== null && !isOtherOrder(this.owner.rules, this.order)) this.order = null;
    if (changed.has('editing') && this.editing === '') this.proposal = none;
    if (this.order !== this.#proposedOrder) this.#proposeOrder();
  }

  /** A new order goes to the dry run at once, and is saved on request. */
  #proposeOrder(): void {
    this.#proposedOrder = this.order;
    if (this.order === null) {
      forgetEdits(this);
      this.proposal = none;
      return;
    }
    edited(this);
    const save = orderSave(this.owner, this.#rules(), this.#names());
    void save.run({ preview: (request) => (this.proposal = [request]) });
  }

  #rules(): readonly Rule[] {
    return inOrder(this.owner.rules, this.order);
  }

  #names(): Names {
    const { principals = [] } = this.#people.value ?? {};
    return { principal: nameIn(principals), frontendModel: nameIn(this.routing.frontendModels) };
  }

  protected override render() {
    const { owner, routing, editing, writable } = this;
    return html`<div class="columns">
      <div class="list">
        ${this.#head()} ${this.order === null ? nothing : this.#unpublished()}
        ${editing === 'new' && writable ? this.#newRule() : nothing}
        ${owner.rules.length === 0 && editing !== 'new' ? this.#empty() : nothing}
        <gw-rules
          .owner=${owner}
          .rules=${this.#rules()}
          .routing=${routing}
          .names=${this.#names()}
          .answer=${this.answer}
          editing=${writable ? editing : ''}
          marked=${place.get().query['rule'] ?? ''}
          ?writable=${writable}
          @gw-order=${({ detail }: CustomEvent<readonly number[]>) => (this.order = detail)}
          @gw-delete=${({ detail }: CustomEvent<number>) => this.#delete(detail)}
          @gw-switch=${({ detail }: CustomEvent<number>) => this.#switch(detail)}
          >${this.#ruleForm()}</gw-rules
        >
      </div>
      <aside>
        ${
          may('config:write')
            ? html`<gw-dry-run
                model=${owner.name}
                .principals=${this.#people.value?.principals ?? []}
                .classes=${routing.classes}
                .proposal=${this.proposal}
                .published=${owner}
                @gw-answer=${({ detail }: CustomEvent<DryRun | null>) => (this.answer = detail)}
              ></gw-dry-run>`
            : html`<p class="quiet">The dry run needs the permission <code>config:write</code>.</p>`
        }
      </aside>
    </div>`;
  }

  #head() {
    const { writable, editing } = this;
    return html`<div class="head">
      <h2>Rules</h2>
      <span class="quiet">First match wins</span>
      <span class="fill"></span>
      ${
        writable && editing !== 'new'
          ? html`<a class="button" href=${this.#newLink()}
              ><gw-icon name="plus"></gw-icon>Create rule</a
            >`
          : nothing
      }
    </div>`;
  }

  /** Keeps the question of the dry run. */
  #newLink(): string {
    const { query } = place.get();
    return linkTo({ screen: 'frontend-models', rest: [this.owner.id, 'rules', 'new'], query });
  }

  #unpublished() {
    return html`<div class="unpublished" role="status">
      <span>Unpublished rule order. The dry run shows its effect.</span>
      <button type="button" @click=${() => (this.order = null)}>Undo</button>
      <button type="button" class="primary" @click=${this.#publishOrder}>Save order</button>
    </div>`;
  }

  #empty() {
    return html`<gw-empty heading="No rules yet" icon="route">
      <span slot="about"
        >Every request goes to the default targets. Create a rule to route requests by size, caller,
        class, header, budget, cost or time.</span
      >
      ${
        this.writable
          ? html`<a class="button primary" href=${this.#newLink()}>Create rule</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #newRule() {
    return html`<div class="new">
      <h3>Create rule</h3>
      ${keyed(`new ${this.copying}`, this.#form(null, ''))}
    </div>`;
  }

  #ruleForm() {
    const rule = this.owner.rules.find(({ id }) => String(id) === this.editing);
    return rule === undefined || !this.writable
      ? nothing
      : keyed(rule.id, this.#form(rule, 'form'));
  }

  #form(rule: Rule | null, slot: string) {
    // The form waits for the names of principals.
    const people = this.#people.value;
    if (people === undefined) return nothing;
    const { owner, routing } = this;
    const row: RuleRow = {
      owner,
      rule,
      copied: owner.rules.find(({ id }) => String(id) === this.copying) ?? null,
      names: this.#names(),
      targets: targetOptions(routing),
      principals: people.principals,
      roles: people.roles,
      classes: routing.classes,
      frontendModels: routing.frontendModels,
    };
    return html`<gw-rule-form
      slot=${slot}
      .row=${row}
      .failure=${this.#ownFailure()}
      @gw-propose=${({ detail }: CustomEvent<readonly Prepared[]>) => (this.proposal = detail)}
      @gw-review=${this.#pass}
      @gw-cancel=${() => this.dispatchEvent(new CustomEvent('gw-cancel'))}
    ></gw-rule-form>`;
  }

  /** A new rule can be sent with all rules; the server then names its fields by its position. */
  #ownFailure(): ApiFailure | null {
    const { failure } = this;
    const param = failure?.param?.replace(/^rules\.\d+\./, '') ?? null;
    if (failure === null || param === failure.param) return failure;
    const { message, status, code, requestId, retryAfterSeconds } = failure;
    return new ApiFailure(message, { status, code, requestId, retryAfterSeconds, param });
  }

  readonly #pass = ({ detail }: CustomEvent<Save>): void => this.#review(detail);

  #review(detail: Save): void {
    this.dispatchEvent(new CustomEvent('gw-review', { detail }));
  }

  readonly #publishOrder = (): void =>
    this.#review(orderSave(this.owner, this.#rules(), this.#names()));

  #delete(id: number): void {
    const rule = this.owner.rules.find((one) => one.id === id);
    if (rule !== undefined) this.#review(ruleDeletion(this.owner, rule, this.#names()));
  }

  #switch(id: number): void {
    const rule = this.owner.rules.find((one) => one.id === id);
    if (rule !== undefined) this.#review(ruleSwitch(this.owner, rule));
  }
}

customElements.define('gw-rules-workspace', GwRulesWorkspace);
