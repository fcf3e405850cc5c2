// Defines the columns of frontend models and pools.

import { html } from 'lit';

import type { FrontendModel, Pool } from '../../api/records.ts';
import '../../elements/badge.ts';
import type { Column } from '../../elements/table/table.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import { membersText, policyLabel } from '../../lib/routing/pool.ts';
import type { PoolUser } from '../../lib/routing/pool.ts';

const targetsText = (targets: FrontendModel['default_targets']): string =>
  targets.map(({ model }) => model).join(' → ');

const actions = [
  { action: 'route', one: 'route', many: 'routes' },
  { action: 'jump', one: 'jump', many: 'jumps' },
  { action: 'deny', one: 'deny', many: 'denies' },
] as const;

/** For example `2 routes · 1 deny`. */
const actionsText = ({ rules }: FrontendModel): string =>
  actions
    .map(({ action, one, many }) => {
      const count = rules.filter((rule) => rule.action === action).length;
      return { count, words: `${count} ${count === 1 ? one : many}` };
    })
    .filter(({ count }) => count > 0)
    .map(({ words }) => words)
    .join(' · ');

const goneIn = ({ rules, default_targets }: FrontendModel): number =>
  [...rules.flatMap(({ targets }) => targets), ...default_targets].filter(
    ({ provider_model_id, model_pool_id }) => provider_model_id === null && model_pool_id === null,
  ).length;

export const frontendModelColumns: readonly Column<FrontendModel>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  { id: 'rules', label: 'Rules', end: true, value: ({ rules }) => rules.length },
  { id: 'actions', label: 'Actions', value: actionsText },
  {
    id: 'defaults',
    label: 'When no rule matches',
    value: ({ default_targets }) => targetsText(default_targets),
    cell: ({ default_targets }) =>
      default_targets.length === 0
        ? html`<span class="quiet">Global fallback only</span>`
        : targetsText(default_targets),
  },
  {
    id: 'state',
    label: 'State',
    value: (one) => (goneIn(one) === 0 ? 'Complete' : formatCount(goneIn(one), 'deleted target')),
    cell: (one) =>
      goneIn(one) === 0
        ? html`<gw-badge tone="good">Complete</gw-badge>`
        : html`<gw-badge tone="warn">${formatCount(goneIn(one), 'deleted target')}</gw-badge>`,
  },
  { id: 'description', label: 'Description', value: ({ description }) => description },
  {
    id: 'window',
    label: 'Context window',
    end: true,
    spare: true,
    value: ({ max_model_len }) => max_model_len,
    cell: ({ max_model_len }) => (max_model_len === null ? 'derived' : formatNumber(max_model_len)),
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

export type PoolRow = Pool & Readonly<{ users: readonly PoolUser[] }>;

export const poolColumns: readonly Column<PoolRow>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  { id: 'policy', label: 'Policy', value: ({ policy }) => policyLabel(policy) },
  {
    id: 'members',
    label: 'Members',
    value: ({ members }) => membersText(members).join(', '),
    cell: ({ members }) =>
      members.length === 0
        ? html`<gw-badge tone="warn">none</gw-badge>`
        : membersText(members).join(', '),
  },
  {
    id: 'users',
    label: 'Used by',
    value: ({ users }) => users.map(({ name }) => name).join(', '),
    cell: ({ users }) =>
      users.length === 0
        ? html`<span class="quiet">nothing</span>`
        : users.map(({ name }) => name).join(', '),
  },
  { id: 'description', label: 'Description', value: ({ description }) => description },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];
