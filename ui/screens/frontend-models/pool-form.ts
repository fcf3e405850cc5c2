// The form of a pool, for a new one and for one that is there: its members with their weights, and how requests fall to them.

import type { Pool } from '../../api/records.ts';
import type { Option } from '../../elements/form/picks.ts';
import { policies, poolForm } from '../../lib/routing/pool.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { poolCreation, poolUpdate } from './saves.ts';

const choices = policies.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }));

const drains = 'A member of weight 0 only serves when the others fail.';
const byWeight = `A member of weight 3 gets three times as much as one of 1. ${drains}`;
const byPolicy = `With a policy, weights do not split requests. ${drains}`;

/** `options` are what a member can be. */
export const poolFormOf = (row: Pool | null, options: readonly Option[]) =>
  recordForm({
    isNew: row === null,
    draft: row === null ? poolForm.blank : poolForm.write(row),
    fields: ({ policy }) => [
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
        options,
      },
    ],
    save: (draft) =>
      row === null
        ? whenRead(poolForm.read(draft), poolCreation)
        : whenRead(poolForm.change(draft, row), (body) => poolUpdate(row, body)),
  });
