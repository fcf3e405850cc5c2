// Defines the form of a rule: its conditions and its action. Every edit is proposed to the dry run.

import { html } from 'lit';
import type { PropertyValues } from 'lit';

import { conditionTable } from '../../../src/conditions/table.ts';
import type { ConditionId } from '../../../src/conditions/table.ts';
import type { Prepared } from '../../api/http/call.ts';
import '../../elements/icon.ts';
import { kindsIn, withoutKind } from '../../lib/routing/rule-conditions.ts';
import { newRuleBody, ruleChange } from '../../lib/routing/rule-body.ts';
import { blankRule, fromRule } from '../../lib/routing/rule-draft.ts';
import { copyName } from '../../lib/routing/rule-name.ts';
import { formRows } from '../../parts/form-rows.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { edited } from '../../state/edits.ts';
import { buttons } from '../../styles/base.ts';
import { formGroups } from '../../styles/form-groups.ts';
import {
  actionRow,
  conditionRows,
  identityRows,
  outcomeRow,
  placeRow,
  tagRow,
} from './rule-rows.ts';
import type { Draft, RuleRow } from './rule-rows.ts';
import { ruleCreation, ruleUpdate } from './rule-saves.ts';

/** Dispatches `gw-propose` with the calls of the current draft; none if the draft is invalid. */
class GwRuleForm extends RecordForm<RuleRow, Draft> {
  static override properties = { ...RecordForm.properties, added: { state: true } };
  static override styles = [RecordForm.styles, buttons, formGroups].flat();
  /** Added conditions that are still empty. */
  declare added: readonly ConditionId[];

  constructor() {
    super();
    this.added = [];
  }

  protected override draftOf({ owner, rule, copied }: RuleRow): Draft {
    if (rule === null && copied !== null) {
      const behind = owner.rules.findIndex(({ id }) => id === copied.id) + 1;
      return { ...fromRule(copied), name: copyName(copied), position: String(behind) };
    }
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

  protected override fields(draft: Draft, row: RuleRow): readonly FormRow<Draft>[] {
    const kinds = conditionTable.filter(({ id }) => this.#isShown(draft, id));
    const rest = conditionTable.filter(({ id }) => !this.#isShown(draft, id));
    return [
      ...identityRows,
      row.rule === null ? placeRow(row) : null,
      html`<fieldset>
        <legend>${kinds.length === 0 ? 'For every request' : 'If all conditions match'}</legend>
        ${kinds.map(({ id, label }) => this.#condition(id, label, conditionRows(id, draft, row)))}
        <div class="offered">
          ${rest.map(
            ({ id, label }) =>
              html`<button type="button" class="plain" @click=${() => this.#add(id)}>
                <gw-icon name="plus"></gw-icon>${label}
              </button>`,
          )}
        </div>
      </fieldset>`,
      html`<fieldset>
        <legend>Then</legend>
        ${formRows([actionRow, outcomeRow(draft, row), tagRow], draft)}
      </fieldset>`,
    ];
  }

  #isShown(draft: Draft, kind: ConditionId): boolean {
    return this.added.includes(kind) || kindsIn(draft).includes(kind);
  }

  #add(kind: ConditionId): void {
    this.added = [...this.added, kind];
  }

  /** Removing a condition clears its fields. */
  #remove(kind: ConditionId): void {
    this.added = this.added.filter((one) => one !== kind);
    this.draft = withoutKind(this.draft, kind);
    edited(this);
  }

  #condition(kind: ConditionId, label: string, rows: readonly FormRow<Draft>[]) {
    return html`<div class="group" role="group" aria-label=${label}>
      <div class="of">${formRows(rows, this.draft)}</div>
      <button
        type="button"
        class="plain icon"
        aria-label="Remove ${label}"
        title="Remove"
        @click=${() => this.#remove(kind)}
      >
        <gw-icon name="x"></gw-icon>
      </button>
    </div>`;
  }

  protected override saveOf(draft: Draft, { owner, rule, names }: RuleRow) {
    if (rule === null) {
      const read = newRuleBody(draft);
      if ('wrong' in read) return read;
      return ruleCreation(owner, { body: read.body, at: Number(draft.position) }, names);
    }
    const read = ruleChange(draft, rule);
    if ('wrong' in read) return read;
    return ruleUpdate(owner, rule, { body: read.body, names });
  }
}

customElements.define('gw-rule-form', GwRuleForm);
