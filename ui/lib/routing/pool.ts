// A pool: its form, what of it is sent, how requests fall to its members, and who refers to it.

import type { FrontendModel, Pool } from '../../api/records.ts';
import { differing, textOrNull, wrong } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { lines, linesOf } from '../text/lines.ts';
import { ruleName } from './rule-name.ts';

/** Members have a line each: the name, a tab and the weight. */
export type PoolDraft = Readonly<{
  name: string;
  description: string;
  /** Empty is none. */
  policy: string;
  members: string;
}>;

export const blankPool: PoolDraft = { name: '', description: '', policy: '', members: '' };

export const policies = [
  { value: '', label: 'By weight', about: 'The same member for one conversation' },
  { value: 'cache-affinity', label: 'Cache affinity', about: 'Where the prompt was seen before' },
  { value: 'least-loaded', label: 'Least loaded', about: 'The fewest requests in flight' },
  { value: 'lowest-latency', label: 'Lowest latency', about: 'The quickest first token of late' },
  { value: 'round-robin', label: 'Round robin', about: 'One after the other' },
] as const;

export const policyLabel = (policy: string | null): string =>
  policies.find(({ value }) => value === (policy ?? ''))?.label ?? String(policy);

export const fromPool = (pool: Pool): PoolDraft => ({
  name: pool.name,
  description: pool.description ?? '',
  policy: pool.policy ?? '',
  members: lines(pool.members.map(({ model, weight }) => `${model}\t${weight}`)),
});

export type PoolBody = Readonly<{
  name: string;
  description: string | null;
  policy: Pool['policy'];
  members: readonly Readonly<{ model: string; weight: number }>[];
}>;

const weightMessage = 'a weight is a whole number from 0 to 1,000,000';

export function poolBody(draft: PoolDraft): Read<PoolBody> {
  const members = linesOf(draft.members).map((line) => {
    const [model = '', weight = '1'] = line.split('\t');
    return { model, weight: /^\d{1,7}$/.test(weight.trim()) ? Number(weight) : -1 };
  });
  const bad = members.find(({ weight }) => weight < 0 || weight > 1_000_000);
  if (bad !== undefined) return wrong('members', `${bad.model}: ${weightMessage}`);
  return {
    body: {
      name: draft.name.trim(),
      description: textOrNull(draft.description),
      policy: policyOf(draft.policy),
      members,
    },
  };
}

function policyOf(text: string): Pool['policy'] {
  const found = policies.find(({ value }) => value === text)?.value ?? '';
  return found === '' ? null : found;
}

/** What differs from the record. */
export function poolChange(draft: PoolDraft, pool: Pool): Read<Partial<PoolBody>> {
  const read = poolBody(draft);
  return 'wrong' in read ? read : { body: differing(read.body, recordBody(pool)) };
}

const recordBody = ({ name, description, policy, members }: Pool): PoolBody => ({
  name,
  description,
  policy,
  members: members.map(({ model, weight }) => ({ model, weight })),
});

/** As a person reads them. */
export const membersText = (members: PoolBody['members']): readonly string[] =>
  members.map(({ model, weight }) => (weight === 1 ? model : `${model} × ${weight}`));

/** Of the requests, in percent, by weight alone; a member that is gone gets none. */
export function sharesOf(members: Pool['members']): readonly number[] {
  const weights = members.map(({ provider_model_id, weight }) =>
    provider_model_id === null ? 0 : weight,
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (all === 0 ? 0 : Math.round((1_000 * weight) / all) / 10));
}

export type PoolUser = Readonly<{ id: number; name: string; where: readonly string[] }>;

/** The frontend models that use the pool as a target, and which of their rules do. */
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
