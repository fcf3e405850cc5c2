// The form of a rule, for a new one and for one that is there: whom it is for, and what becomes of the request then. Each change of it
// is proposed, so that a dry-run can show what it would come to.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { Prepared } from '../../api/call.ts';
import type { FrontendModel, Rule } from '../../api/frontend-models.ts';
import '../../elements/picks.ts';
import type { Option } from '../../elements/picks.ts';
import '../../elements/toggles.ts';
import { actionOf, newRuleBody, ruleChange } from '../../lib/rule-body.ts';
import { blankRule, fromRule } from '../../lib/rule-draft.ts';
import type { RuleDraft } from '../../lib/rule-draft.ts';
import { dayNames } from '../../lib/rule-text.ts';
import { RecordForm } from '../../parts/record-form.ts';
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
  static override styles = [RecordForm.styles, ruleFormStyles].flat();

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
    return html`${row.rule === null ? this.#place(draft, row) : nothing}
      <fieldset>
        <legend>When all of this holds</legend>
        ${this.#callers(draft, row)} ${this.#request(draft, row)} ${this.#limits(draft)}
        ${this.#clock(draft)}
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

  #request(draft: Draft, { classes }: RuleRow) {
    return html`<div class="pair">
        <gw-field
          name="class"
          label="Prompt class"
          type="select"
          .choices=${[
            { value: '', label: 'Any, or none' },
            ...[...new Set([...classes, draft.class])]
              .filter((name) => name !== '')
              .map((name) => ({ value: name, label: name })),
          ]}
          .value=${draft.class}
        ></gw-field>
        <gw-field
          name="stream"
          label="Stream"
          type="select"
          .choices=${streams}
          .value=${draft.stream}
        ></gw-field>
      </div>
      ${this.#range(draft, 'prompt_tokens', 'Prompt, tokens')}
      ${this.#range(draft, 'max_tokens', 'Asks for, tokens')}
      <gw-field
        name="headers"
        label="Headers"
        type="textarea"
        placeholder="x-tier: gold"
        hint="A line each; all must have exactly this value"
        mono
        .value=${draft.headers}
      ></gw-field>`;
  }

  #limits(draft: Draft) {
    return html`${this.#range(draft, 'budget_used_percent', 'Budget used, percent')}
      ${this.#range(draft, 'request_cost_micros', 'Costs, dollars')}
      <gw-field
        name="max_inflight_per_backend"
        label="While a backend of its own has fewer in flight than"
        .value=${draft.max_inflight_per_backend}
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
