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

/** The callers of a snapshot. */
export type Callers = Readonly<{
  keys: KeysByVerifier;
  principals: CallersById;
  /** The number of keys. */
  size: number;
  /** By the SHA-256 of the key, in hex. */
  get: (verifier: string) => Caller | undefined;
  values: () => Iterable<Caller>;
}>;

/** By the SHA-256 of the key, in hex. */
export type KeysByVerifier = ReadonlyMap<string, SnapshotApiKey>;
/** Without a key. */
export type CallersById = ReadonlyMap<number, Caller>;

/**
 * Reads both maps at each call. The caller of a key is made when it is asked for, so that a key costs
 * no memory of its own, and a changed principal costs the same however many keys it has.
 */
export const callersOf = (keys: KeysByVerifier, principals: CallersById): Callers => {
  const callerOf = (key: SnapshotApiKey | undefined): Caller | undefined => {
    const principal = key === undefined ? undefined : principals.get(key.principal_id);
    return key === undefined || principal === undefined ? undefined : keyCaller(principal, key);
  };
  return {
    keys,
    principals,
    get size() {
      return keys.size;
    },
    get: (verifier) => callerOf(keys.get(verifier)),
    values: () => [...keys.values()].flatMap((key) => callerOf(key) ?? []),
  };
};

export function compilePrincipals(
  principals: Iterable<SnapshotPrincipal>,
  compilePrincipal: CompilePrincipal,
): Map<number, Caller> {
  const callers = new Map<number, Caller>();
  for (const one of principals) callers.set(one.id, compilePrincipal(one));
  return callers;
}

export type KeySources = Readonly<{
  keys: Iterable<SnapshotApiKey>;
  verifierOf: (key: SnapshotApiKey) => string | undefined;
  principals: CallersById;
}>;

/** Adds the reasons for omitted keys to `dropped`. */
export function compileKeys(sources: KeySources, dropped: string[]): Map<string, SnapshotApiKey> {
  const { keys, verifierOf, principals } = sources;
  const byVerifier = new Map<string, SnapshotApiKey>();
  for (const key of keys) {
    const verifier = usableVerifier(verifierOf(key));
    if (verifier === null || !principals.has(key.principal_id)) dropped.push(unusableKey(key));
    if (verifier !== null) byVerifier.set(verifier, key);
  }
  return byVerifier;
}

export const usableVerifier = (verifier: string | undefined): string | null =>
  verifier !== undefined && /^[0-9a-f]{64}$/.test(verifier) ? verifier : null;

export const unusableKey = ({ id }: SnapshotApiKey): string =>
  `key ${id}: its principal or its verifier is missing`;

const keyCaller = (principal: Caller, { id, expires_at: expiresAt }: SnapshotApiKey): Caller => ({
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
