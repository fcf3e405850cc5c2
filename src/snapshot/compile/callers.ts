// Compiles callers, keyed by the digest of their key: grants as bits, roles, rate limits and used
// budget.

import type { ApiKeyId, PrincipalId, RoleId } from '../../lib/ids.ts';
import type {
  BudgetUse,
  Snapshot,
  SnapshotApiKey,
  SnapshotBudget,
  SnapshotLimits,
  SnapshotPrincipal,
  SnapshotRole,
} from '../schema.ts';
import { capsAt, nothingSpent, percentSpent, reachedCap } from '../spend.ts';
import type { CapIncrease, Caps, ReachedCap, Spent } from '../spend.ts';
import type { CompiledModel } from './models.ts';

/**
 * One bit per model, shared by all principals with the same roles. `all` is `model/*`, which opens
 * every model that wildcards may open. A bit opens any model.
 */
export type Grants = Readonly<{ all: boolean; bits: Uint32Array }>;

/**
 * The spending reported by the control plane. The start of the window is null if it was not
 * reported.
 */
export type ReportedSpend = Spent & Readonly<{ windowStartMs: number | null }>;

export type CompiledBudget = Readonly<{
  caps: Caps;
  reported: ReportedSpend;
  /** When the next window starts. Absent if the control plane did not report it. */
  windowEndMs?: number;
  /** Absent without temporary increases. */
  increases?: readonly CapIncrease[];
}>;

export type Caller = Readonly<{
  /** Null for a caller of an open gateway. */
  principalId: PrincipalId | null;
  keyId: ApiKeyId | null;
  expiresAtMs: number;
  grants: Grants;
  roleIds: readonly RoleId[];
  budget: CompiledBudget | null;
  /** The percentage of the cap closest to its limit, at most 255. -1 without a budget. */
  budgetUsedPercent: number;
  /** The exhausted cap, if any. */
  reachedCap: ReachedCap | null;
  /** Null means unlimited. */
  limits: SnapshotLimits | null;
}>;

const everyModel: Grants = { all: true, bits: new Uint32Array(0) };

/** Used if no key is required. */
export const anonymous: Caller = {
  principalId: null,
  keyId: null,
  expiresAtMs: Infinity,
  grants: everyModel,
  roleIds: [],
  budget: null,
  budgetUsedPercent: -1,
  reachedCap: null,
  limits: null,
};

export function mayInvoke(caller: Caller, model: CompiledModel): boolean {
  const { all, bits } = caller.grants;
  return (
    (all && model.isOpen) || ((bits[model.index >>> 5] ?? 0) & (1 << (model.index & 31))) !== 0
  );
}

/** Created once per version, called for each principal. */
export type CompilePrincipal = (principal: SnapshotPrincipal) => Caller;

export type PrincipalSources = Readonly<{
  roles: readonly SnapshotRole[];
  models: ReadonlyMap<string, CompiledModel>;
  useOf: (id: PrincipalId) => BudgetUse | undefined;
}>;

export function principalCompiler(
  { config, overlay }: Snapshot,
  models: ReadonlyMap<string, CompiledModel>,
): CompilePrincipal {
  const uses = new Map(overlay.budgets.map((use) => [use.principal_id, use]));
  return principalCompilerFrom({ roles: config.roles, models, useOf: (id) => uses.get(id) });
}

export function principalCompilerFrom(sources: PrincipalSources): CompilePrincipal {
  const grantsOf = grantsByRoles(sources.roles, sources.models);
  return (principal) => ({
    ...anonymous,
    principalId: principal.id,
    grants: grantsOf(principal.role_ids),
    roleIds: principal.role_ids,
    ...budgetOf(principal.budget, sources.useOf(principal.id)),
    limits: principal.limits,
  });
}

export type CallerSources = Readonly<{
  principals: Iterable<SnapshotPrincipal>;
  keys: Iterable<SnapshotApiKey>;
  verifierOf: (key: SnapshotApiKey) => string | undefined;
  compilePrincipal: CompilePrincipal;
}>;

/** By the SHA-256 of the key, in hex. */
export function compileCallers(sources: CallerSources, dropped: string[]): Map<string, Caller> {
  const { keys, verifierOf, compilePrincipal } = sources;
  const principals = new Map<PrincipalId, Caller>();
  for (const one of sources.principals) principals.set(one.id, compilePrincipal(one));
  const callers = new Map<string, Caller>();
  for (const key of keys) {
    const principal = principals.get(key.principal_id);
    const verifier = usableVerifier(verifierOf(key));
    if (principal === undefined || verifier === null) dropped.push(unusableKey(key));
    else callers.set(verifier, keyCaller(principal, key));
  }
  return callers;
}

export const usableVerifier = (verifier: string | undefined): string | null =>
  verifier !== undefined && /^[0-9a-f]{64}$/.test(verifier) ? verifier : null;

export const unusableKey = ({ id }: SnapshotApiKey): string =>
  `key ${id}: its principal or its verifier is missing`;

export const keyCaller = (principal: Caller, { id, expires_at: expiresAt }: SnapshotApiKey) => ({
  ...principal,
  keyId: id,
  expiresAtMs: expiresAt === null ? Infinity : Date.parse(expiresAt),
});

/** Computed once per set of roles, because principals far outnumber them. */
function grantsByRoles(
  roles: readonly SnapshotRole[],
  models: ReadonlyMap<string, CompiledModel>,
): (roleIds: readonly RoleId[]) => Grants {
  const byId = new Map(roles.map((role) => [role.id, role]));
  const made = new Map<string, Grants>();
  return (roleIds) => {
    const name = roleIds.toSorted((a, b) => a - b).join();
    const known = made.get(name);
    if (known !== undefined) return known;
    const grants = compileGrants(
      roleIds.flatMap((id) => byId.get(id) ?? []),
      models,
    );
    made.set(name, grants);
    return grants;
  };
}

function compileGrants(
  roles: readonly SnapshotRole[],
  models: ReadonlyMap<string, CompiledModel>,
): Grants {
  const bits = new Uint32Array(Math.ceil(models.size / 32));
  const grant = ({ index }: CompiledModel): void => {
    bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
  };
  let all = false;
  for (const { verb, resource } of roles.flatMap((role) => role.permissions)) {
    if (verb !== 'model:invoke' || !resource.startsWith('model/')) continue;
    const name = resource.slice('model/'.length);
    if (name === '*') {
      all = true;
    } else if (name.endsWith('*')) {
      const prefix = name.slice(0, -1);
      for (const model of models.values()) {
        if (model.isOpen && model.name.startsWith(prefix)) grant(model);
      }
    } else {
      const model = models.get(name);
      if (model !== undefined) grant(model);
    }
  }
  return { all, bits };
}

function budgetOf(
  caps: SnapshotBudget | null,
  use: BudgetUse | undefined,
): Pick<Caller, 'budget' | 'budgetUsedPercent' | 'reachedCap'> {
  if (caps === null) return { budget: null, budgetUsedPercent: -1, reachedCap: null };
  const { tokens_used, cost_used_micros } = use ?? nothingSpent;
  const start = use?.window_start ?? null;
  const end = use?.window_end;
  const windowStartMs = start === null ? null : Date.parse(start);
  const reported = { tokens_used, cost_used_micros, windowStartMs };
  return {
    budget: {
      caps,
      reported,
      ...(end === undefined ? {} : { windowEndMs: Date.parse(end) }),
      ...(caps.increases === undefined ? {} : { increases: caps.increases.map(compiledIncrease) }),
    },
    ...usedOf(caps, reported),
  };
}

const usedOf = (caps: Caps, spent: Spent): Pick<Caller, 'budgetUsedPercent' | 'reachedCap'> => ({
  budgetUsedPercent: percentSpent(caps, spent),
  reachedCap: reachedCap(caps, spent),
});

/** The caller with the temporary increases of its budget that are in force at this time. */
export function withIncreases(caller: Caller, nowMs: number): Caller {
  const { caps, reported, increases } = caller.budget ?? {};
  if (caps === undefined || reported === undefined || increases === undefined) return caller;
  return { ...caller, ...usedOf(capsAt(caps, increases, nowMs), reported) };
}

const compiledIncrease = ({
  tokens,
  cost_micros,
  starts_at,
  ends_at,
}: NonNullable<SnapshotBudget['increases']>[number]): CapIncrease => ({
  tokens,
  micros: cost_micros,
  startMs: Date.parse(starts_at),
  endMs: Date.parse(ends_at),
});
