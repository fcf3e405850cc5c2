// Condition on the caller: one of the principals, or a holder of one of the roles.

import type { Asked } from './asked.ts';
import { condition } from './condition.ts';

export const callers = condition({
  id: 'callers',
  label: 'Caller',
  effort: 2,
  fields: {
    principals: { type: 'principals', label: 'Principals', placeholder: 'Anyone' },
    roles: { type: 'roles', label: 'Roles', placeholder: 'Any role' },
  },
  compile: (values) => {
    const principals = values.principals.toSorted(ascending);
    const roles = values.roles.toSorted(ascending);
    if (principals.length === 0 && roles.length === 0) return null;
    return {
      holds: ({ caller }) => isAmong(principals, roles, caller),
      failed: () => [
        ...(principals.length > 0 ? ['principals'] : []),
        ...(roles.length > 0 ? ['roles'] : []),
      ],
    };
  },
  phrases: ({ principals, roles }, say) => {
    const names = [...principals.map(say.principal), ...roles.map((name) => `role ${name}`)];
    return names.length === 0 ? [] : [{ text: `from ${someOf(names)}` }];
  },
  matched: ({ principal }) => principal,
});

const ascending = (a: number, b: number): number => a - b;

function isAmong(
  principals: readonly number[],
  roles: readonly number[],
  { principalId, roleIds }: Asked['caller'],
): boolean {
  if (principalId === null) return false;
  if (contains(principals, principalId)) return true;
  if (roles.length === 0) return false;
  for (let index = 0; index < roleIds.length; index++) {
    if (contains(roles, roleIds[index] ?? 0)) return true;
  }
  return false;
}

/** Searches a sorted list. */
function contains(list: readonly number[], value: number): boolean {
  let from = 0;
  let end = list.length;
  while (from < end) {
    const middle = (from + end) >>> 1;
    const found = list[middle] ?? 0;
    if (found === value) return true;
    if (found < value) from = middle + 1;
    else end = middle;
  }
  return false;
}

const namedMax = 3;

const someOf = (names: readonly string[]): string =>
  names.length <= namedMax
    ? names.join(' or ')
    : `${names.slice(0, namedMax).join(', ')} or ${names.length - namedMax} more`;
