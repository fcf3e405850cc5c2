// Reads the form of a pool, and describes its policy, members and uses.

import type { FrontendModel, Pool } from '../../api/records.ts';
import { formOf, name, text } from '../saves/typed.ts';
import { lines, linesOf } from '../text/lines.ts';
import { ruleName } from './rule-name.ts';

export const policies = [
  { value: '', label: 'By weight', about: 'keeps a conversation on one member' },
  {
    value: 'cache-affinity',
    label: 'Cache affinity',
    about: 'prefers the member that has the prompt cached',
  },
  {
    value: 'least-loaded',
    label: 'Least loaded',
    about: 'prefers the member with the fewest requests in flight',
  },
  {
    value: 'lowest-latency',
    label: 'Lowest latency',
    about: 'prefers the member with the fastest first token',
  },
  { value: 'round-robin', label: 'Round robin', about: 'uses the members in turn' },
] as const;

export const policyLabel = (policy: string | null): string =>
  policies.find(({ value }) => value === (policy ?? ''))?.label ?? String(policy);

type Members = readonly Readonly<{ model: string; weight: number }>[];

/** One line per member: name, tab, weight. */
const memberLines = {
  write: (members: Members): string =>
    lines(members.map(({ model, weight }) => `${model}\t${weight}`)),
  read: (given: string): Members | undefined => {
    const members = linesOf(given).map((line) => {
      const [model = '', weight = '1'] = line.split('\t');
      return { model, weight: /^\d{1,7}$/.test(weight.trim()) ? Number(weight) : NaN };
    });
    return members.every(({ weight }) => weight <= 1_000_000) ? members : undefined;
  },
  must: 'each weight must be a whole number from 0 to 1,000,000',
};

const policy = {
  write: (value: Pool['policy']): string => value ?? '',
  read: (given: string): Pool['policy'] =>
    policies.find(({ value }) => value === given && value !== '')?.value || null,
  must: '',
};

const form = formOf({ name, description: text, policy, members: memberLines });
export type PoolDraft = typeof form.blank;
export type PoolBody = Parameters<typeof form.write>[0];

export const poolForm = {
  ...form,
  change: (draft: PoolDraft, pool: Pool) => form.change(draft, recordBody(pool)),
};

const recordBody = ({ members, ...pool }: Pool): PoolBody => ({
  ...pool,
  members: members.map(({ model, weight }) => ({ model, weight })),
});

export const membersText = (members: PoolBody['members']): readonly string[] =>
  members.map(({ model, weight }) => (weight === 1 ? model : `${model} × ${weight}`));

/** Percent, by weight; deleted members get none. */
export function sharesOf(members: Pool['members']): readonly number[] {
  const weights = members.map(({ provider_model_id, weight }) =>
    provider_model_id === null ? 0 : weight,
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (all === 0 ? 0 : Math.round((1_000 * weight) / all) / 10));
}

export type PoolUser = Readonly<{ id: number; name: string; where: readonly string[] }>;

export function usersOf(
  { id }: Pick<Pool, 'id'>,
  frontendModels: readonly FrontendModel[],
): readonly PoolUser[] {
  return frontendModels.flatMap((one) => {
    const rules = one.rules.flatMap((rule) =>
      rule.targets.some(({ model_pool_id }) => model_pool_id === id) ? [ruleName(rule)] : [],
    );
    const defaults = one.default_targets.some(({ model_pool_id }) => model_pool_id === id);
    const where = [...rules, ...(defaults ? ['default'] : [])];
    return where.length === 0 ? [] : [{ id: one.id, name: one.name, where }];
  });
}
