// The form of a pool, for a new one and for one that is there: its members with their weights, and how requests fall to them.

import type { Pool } from '../../api/records.ts';
import type { Option } from '../../elements/form/picks.ts';
import { blankPool, fromPool, policies, poolBody, poolChange } from '../../lib/routing/pool.ts';
import type { PoolDraft } from '../../lib/routing/pool.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { poolCreation, poolUpdate } from './saves.ts';

const choices = policies.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }));

const drains = 'A member of weight 0 only serves when the others fail.';
const byWeight = `A member of weight 3 gets three times as much as one of 1. ${drains}`;
const byPolicy = `With a policy, weights do not split requests. ${drains}`;

class GwPoolForm extends RecordForm<Pool | null, PoolDraft> {
  static override properties = { ...RecordForm.properties, options: { attribute: false } };
  /** What a member can be. */
  declare options: readonly Option[];

  constructor() {
    super();
    this.row = null;
    this.options = [];
  }

  protected override draftOf(row: Pool | null): PoolDraft {
    return row === null ? blankPool : fromPool(row);
  }

  protected override fields({ policy }: PoolDraft): readonly FormRow<PoolDraft>[] {
    return [
      {
        name: 'name',
        label: 'Name',
        hint: 'What targets of rules call it',
        required: true,
        mono: true,
      },
      { name: 'description', label: 'Description' },
      { name: 'policy', label: 'Policy', type: 'select', unmarked: true, choices },
      {
        name: 'members',
        label: 'Members',
        type: 'picks',
        hint: policy === '' ? byWeight : byPolicy,
        placeholder: 'Name of a model',
        ordered: true,
        weighted: true,
        options: this.options,
      },
    ];
  }

  protected override saveOf(draft: PoolDraft, row: Pool | null) {
    return row === null
      ? whenRead(poolBody(draft), poolCreation)
      : whenRead(poolChange(draft, row), (body) => poolUpdate(row, body));
  }
}

customElements.define('gw-pool-form', GwPoolForm);
