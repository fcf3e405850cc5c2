// Makes the steps of an apply for principals and keys.

import type { z } from 'zod';

import { apiKeyId } from '../../lib/ids.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { hiddenPrefix, principal } from './format.ts';
import { commandStep, unchangeable } from './putting.ts';
import type { Made, Putting, StepSources } from './putting.ts';

export function makePrincipal(put: Putting, { principalNamed }: StepSources): Made | Refusal {
  const { name: label, id, fields, changes, set } = put;
  if (id !== null && changes('kind')) return unchangeable('kind');
  const {
    kind = 'service_account',
    roles = [],
    limits,
    budget,
  } = principal.parse({
    ...fields,
    name: label,
  });
  const own = {
    roles: set('roles', { all: true, names: roles }),
    limits: set('limits', limits ? limitsOf(limits) : null),
    budget: set('budget', budget ? budgetOf(budget) : null),
  };
  const name = principalNamed(label);
  return { steps: [{ step: 'principal', id, label, name, kind, mark: null, ...own, keys: [] }] };
}

type Given = z.output<typeof principal>;

const limitsOf = (limits: NonNullable<Given['limits']>) => ({
  requestsPerMin: limits.requests_per_min ?? null,
  tokensPerMin: limits.tokens_per_min ?? null,
});

const budgetOf = (budget: NonNullable<Given['budget']>) => ({
  tokensTotal: budget.tokens_total ?? null,
  costTotalMicros: budget.cost_total_micros ?? null,
  window: budget.window,
  calendar: budget.calendar,
  alertAtPercent: budget.alert_at_percent,
  initialTokensUsed: 0,
});

export function makeKey(
  put: Putting,
  { files, principalNamed, vaulted }: StepSources,
): Made | Refusal {
  const { name: label, id, at, changes } = put;
  const given = files.keys?.[at];
  if (given === undefined) throw new Error(`the files have no key ${at}`);
  const fixed = ['name', 'principal', 'prefix'].find(changes);
  if (id !== null && fixed !== undefined) return unchangeable(fixed);
  const { name, principal: owner, key_sha256: plaintext } = given;
  const expiresAt = given.expires_at ?? null;
  if (id !== null) {
    const command = { type: 'SetApiKeyExpiry', id: apiKeyId.parse(id), expiresAt } as const;
    return commandStep(`key ${label}`, command);
  }
  const verifierRef = vaulted({ class: 'key_verifier', plaintext });
  const key = { name, prefix: given.prefix ?? hiddenPrefix, verifierRef, expiresAt };
  return { steps: [{ step: 'key', label, principal: principalNamed(owner), key }] };
}
