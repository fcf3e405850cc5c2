// The form of a rule, for a new one and for one that is there: whom it is for, and what becomes of the request then. Each change of it
// is proposed, so that a dry-run can show what it would come to.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { Prepared } from '../../api/call.ts';
import type { FrontendModel, Rule } from '../../api/frontend-models.ts';
import '../../elements/icon.ts';
import '../../elements/picks.ts';
import type { Option } from '../../elements/picks.ts';
import '../../elements/toggles.ts';
import { conditionKinds, kindsIn, withoutKind } from '../../lib/rule-conditions.ts';
import type { ConditionKind } from '../../lib/rule-conditions.ts';
import { actionOf, newRuleBody, ruleChange } from '../../lib/rule-body.ts';
import { blankRule, fromRule } from '../../lib/rule-draft.ts';
import type { RuleDraft } from '../../lib/rule-draft.ts';
import { dayNames } from '../../lib/rule-text.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { edited } from '../../state/edits.ts';
import { buttons } from '../../styles/base.ts';
import { ruleFormStyles } from './rule-form-styles.ts';
import { ruleCreation, ruleUpdate } from './rule-saves.ts';
import type { Names } from './rule-saves.ts';

export type Named = Readonly<{ id: number; name: string }>;

export type RuleRow = Readonly<{
  owner: FrontendModel;
  /** Null is a new one. */
  rule: Rule | null;
  names: Names;
  targets: readonly Option[];
  principals: readonly Named[];
  roles: readonly string[];
  classes: readonly string[];
  frontendModels: readonly Named[];
}>;

type Draft = RuleDraft & Readonly<{ /** The place of a new one. */ position: string }>;

const actions = [
  { value: 'route', label: 'Route: to targets, first to last' },
  { value: 'deny', label: 'Deny: answer with a refusal' },
  { value: 'jump', label: 'Jump: go on in another frontend model' },
];
const streams = [
  { value: '', label: 'Streamed or not' },
  { value: 'true', label: 'Streamed' },
  { value: 'false', label: 'Not streamed' },
];
const days = dayNames.map((label, index) => ({ value: String(index + 1), label }));

/** Tells by `gw-propose` the calls that it would make as it stands; none while it cannot be read. */
export class GwRuleForm extends RecordForm<RuleRow, Draft> {
  static override properties = { ...RecordForm.properties, added: { state: true } };
  static override styles = [RecordForm.styles, buttons, ruleFormStyles].flat();
  /** Conditions that were asked for and may be empty yet. */
  declare added: readonly ConditionKind[];

  constructor() {
    super();
    this.added = [];
  }

  protected override draftOf({ owner, rule }: RuleRow): Draft {
    const draft = rule === null ? blankRule : fromRule(rule);
    return { ...draft, position: String(owner.rules.length) };
  }

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('draft') || changed.get('draft') === undefined) return;
    const save = this.saveOf(this.draft, this.row);
    const propose = (detail: readonly Prepared[]): void => {
      this.dispatchEvent(new CustomEvent('gw-propose', { detail, bubbles: true }));
    };
    if ('wrong' in save) propose([]);
    else void save.run({ preview: (request) => propose([request]) });
  }

  protected override fields(draft: Draft, row: RuleRow) {
    const kinds = conditionKinds.filter(({ id }) => this.#isShown(draft, id));
    const rest = conditionKinds.filter(({ id }) => !this.#isShown(draft, id));
    return html`${row.rule === null ? this.#place(draft, row) : nothing}
      <fieldset>
        <legend>${kinds.length === 0 ? 'For every request' : 'When all of this holds'}</legend>
        ${kinds.map(({ id, label }) => this.#condition(id, label, this.#fieldsOf(id, draft, row)))}
        <div class="offered">
          ${rest.map(
            ({ id, label }) =>
              html`<button type="button" class="plain" @click=${() => this.#add(id)}>
                <gw-icon name="plus"></gw-icon>${label}
              </button>`,
          )}
        </div>
      </fieldset>
      <fieldset>
        <legend>Then</legend>
        <gw-field
          name="action"
          label="Action"
          type="select"
          required
          .choices=${actions}
          .value=${draft.action}
        ></gw-field>
        ${this.#outcome(draft, row)}
        <gw-field
          name="tag"
          label="Tag"
          hint="Copied onto the usage rows of such requests"
          mono
          .value=${draft.tag}
        ></gw-field>
      </fieldset>`;
  }

  /** What was added, and what is filled. */
  #isShown(draft: Draft, kind: ConditionKind): boolean {
    return this.added.includes(kind) || kindsIn(draft).includes(kind);
  }

  #add(kind: ConditionKind): void {
    this.added = [...this.added, kind];
  }

  /** Taken away, its fields are empty: what was asked is cleared. */
  #remove(kind: ConditionKind): void {
    this.added = this.added.filter((one) => one !== kind);
    this.draft = withoutKind(this.draft, kind);
    edited(this);
  }

  #condition(kind: ConditionKind, label: string, fields: unknown) {
    return html`<div class="condition" role="group" aria-label=${label}>
      <div class="of">${fields}</div>
      <button
        type="button"
        class="plain icon"
        aria-label="Take away ${label}"
        title="Take away"
        @click=${() => this.#remove(kind)}
      >
        <gw-icon name="x"></gw-icon>
      </button>
    </div>`;
  }

  #fieldsOf(kind: ConditionKind, draft: Draft, row: RuleRow) {
    switch (kind) {
      case 'callers':
        return this.#callers(draft, row);
      case 'class':
        return this.#class(draft, row);
      case 'stream':
        return html`<gw-field
          unmarked
          name="stream"
          label="Stream"
          type="select"
          .choices=${streams}
          .value=${draft.stream}
        ></gw-field>`;
      case 'prompt':
        return this.#range(draft, 'prompt_tokens', 'Prompt, tokens');
      case 'asked':
        return this.#range(draft, 'max_tokens', 'Asks for, tokens');
      case 'headers':
        return html`<gw-field
          unmarked
          name="headers"
          label="Headers"
          type="textarea"
          placeholder="x-tier: gold"
          hint="A line each; all must have exactly this value"
          mono
          .value=${draft.headers}
        ></gw-field>`;
      case 'budget':
        return this.#range(draft, 'budget_used_percent', 'Budget used, percent');
      case 'cost':
        return this.#range(draft, 'request_cost_micros', 'Costs, dollars');
      case 'busy':
        return html`<gw-field
          unmarked
          name="max_inflight_per_backend"
          label="While a backend of its own has fewer in flight than"
          .value=${draft.max_inflight_per_backend}
        ></gw-field>`;
      case 'clock':
        return this.#clock(draft);
    }
  }

  #place({ position }: Draft, { owner }: RuleRow) {
    const choices = [
      ...owner.rules.map((_, at) => ({ value: String(at), label: `Before rule:${at}` })),
      { value: String(owner.rules.length), label: 'Behind all others' },
    ];
    return html`<gw-field
      name="position"
      label="Place"
      type="select"
      required
      .choices=${choices}
      .value=${position}
    ></gw-field>`;
  }

  #callers(draft: Draft, { principals, roles }: RuleRow) {
    return html`<div class="pair">
      <gw-picks
        name="principals"
        label="Principals"
        placeholder="Anyone"
        .options=${principals.map(({ id, name }) => ({ value: String(id), label: name }))}
        .value=${draft.principals}
      ></gw-picks>
      <gw-picks
        name="roles"
        label="Roles"
        placeholder="Any role"
        .options=${roles.map((name) => ({ value: name, label: name }))}
        .value=${draft.roles}
      ></gw-picks>
    </div>`;
  }

  #class(draft: Draft, { classes }: RuleRow) {
    const names = [...new Set([...classes, draft.class])].filter((name) => name !== '');
    return html`<gw-field
      unmarked
      name="class"
      label="Prompt class"
      type="select"
      .choices=${[
        { value: '', label: 'Any, or none' },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
      .value=${draft.class}
    ></gw-field>`;
  }

  #range(draft: Draft, field: string, label: string) {
    const [min, max] = [`min_${field}`, `max_${field}`];
    const value = (name: string): string => String(Reflect.get(draft, name));
    return html`<div class="pair">
      <gw-field name=${min} unmarked label="${label}, from" .value=${value(min)}></gw-field>
      <gw-field name=${max} unmarked label="${label}, to" .value=${value(max)}></gw-field>
    </div>`;
  }

  #clock(draft: Draft) {
    return html`<gw-toggles
        name="days"
        label="Days"
        .choices=${days}
        .value=${draft.days}
      ></gw-toggles>
      <div class="three">
        <gw-field name="after" label="From" placeholder="08:00" .value=${draft.after}></gw-field>
        <gw-field name="before" label="Until" placeholder="18:00" .value=${draft.before}></gw-field>
        <gw-field
          name="utc_offset_minutes"
          label="From UTC"
          placeholder="+00:00"
          .value=${draft.utc_offset_minutes}
        ></gw-field>
      </div>`;
  }

  #outcome(draft: Draft, { targets, frontendModels, owner }: RuleRow) {
    switch (actionOf(draft)) {
      case 'route':
        return html`<gw-picks
          name="targets"
          label="Targets"
          hint="Tried first to last"
          placeholder="Name of a model or a pool"
          ordered
          .options=${targets}
          .value=${draft.targets}
        ></gw-picks>`;
      case 'deny':
        return html`<div class="pair">
          <gw-field
            name="deny_status"
            label="Status"
            required
            .value=${draft.deny_status}
          ></gw-field>
          <gw-field name="deny_message" label="Message" .value=${draft.deny_message}></gw-field>
        </div>`;
      case 'jump':
        return html`<gw-field
          name="jump_to"
          label="Go on in"
          type="select"
          required
          .choices=${[
            { value: '', label: 'Choose a frontend model' },
            ...frontendModels
              .filter(({ id }) => id !== owner.id)
              .map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          .value=${draft.jump_to}
        ></gw-field>`;
    }
  }

  protected override saveOf(draft: Draft, { owner, rule, names }: RuleRow) {
    if (rule === null) {
      const read = newRuleBody(draft);
      if ('wrong' in read) return read;
      return ruleCreation(owner, { body: read.body, at: Number(draft.position) }, names);
    }
    const read = ruleChange(draft, rule);
    if ('wrong' in read) return read;
    const at = owner.rules.findIndex(({ id }) => id === rule.id);
    return ruleUpdate(owner, { rule, at }, { body: read.body, names });
  }
}

customElements.define('gw-rule-form', GwRuleForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-rule-form': GwRuleForm;
  }
}
