// Defines the form of a pool: its policy and its members with their weights.

import type { Pool } from '../../api/records.ts';
import type { Option } from '../../elements/form/picks.ts';
import { policies, poolForm } from '../../lib/routing/pool.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { poolCreation, poolUpdate } from './saves.ts';

const choices = policies.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }));

const drains = 'A member with weight 0 serves only when the others fail.';
const byWeight = `A member with weight 3 gets three times the requests of one with weight 1. ${drains}`;
const byPolicy = `This policy ignores weights above 0. ${drains}`;

/** `options` are the possible members. */
export const poolFormOf = (row: Pool | null, options: readonly Option[]) =>
  recordForm({
    isNew: row === null,
    draft: row === null ? poolForm.blank : poolForm.write(row),
    fields: ({ policy }) => [
      {
        name: 'name',
        label: 'Name',
        hint: 'Used as a target in rules',
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
        placeholder: 'Model',
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
