// Applies a delta to a held snapshot and to the lookups compiled from it. A revoked key is one
// deletion. Lookups that depend on more than the changed entries are compiled again as a whole:
// the routing tables, and the callers if grants may differ.

import {
  anonymous,
  compileCallers,
  keyCaller,
  principalCompilerFrom,
  unusableKey,
  usableVerifier,
} from '../compile/callers.ts';
import type { Caller, CallerSources } from '../compile/callers.ts';
import type { CompiledModel } from '../compile/models.ts';
import { compiledHead, compileTables } from '../compile.ts';
import type { CompiledSnapshot, RoutingTables } from '../compile.ts';
import type { ApiKeyId, PrincipalId } from '../../lib/ids.ts';
import type { SnapshotApiKey, SnapshotProvider } from '../schema.ts';
import type { SnapshotDelta } from './delta.ts';
import { changeHeld, inOrder, routingPart } from './held.ts';
import type { HeldSnapshot } from './held.ts';

/** Lookups that were compiled from a held snapshot. The next delta changes some in place. */
export type HeldLookups = Readonly<{
  compiled: CompiledSnapshot;
  callers: Map<string, Caller>;
  budgeted: Set<PrincipalId>;
}>;

/** Copies what deltas change in place. */
export const lookupsOf = (compiled: CompiledSnapshot): HeldLookups => ({
  compiled,
  callers: new Map(compiled.callers),
  budgeted: new Set(compiled.budgeted),
});

/** An earlier compiled snapshot shares the callers: a revoked key is gone for all requests. */
export function applyDelta(
  held: HeldSnapshot,
  before: HeldLookups,
  delta: SnapshotDelta,
): HeldLookups {
  const plan = planOf(held, delta);
  changeHeld(held, delta);
  const dropped: string[] = [];
  const tables = plan.tables ? compileTables(routingPart(held), dropped) : before.compiled;
  const lookups =
    plan.allCallers || !sameGrants(before.compiled.models, tables.models)
      ? allCallers(held, tables.models, dropped)
      : changedCallers(held, before, { plan, delta, dropped, models: tables.models });
  return {
    ...lookups,
    compiled: {
      ...before.compiled,
      ...routingOf(tables),
      ...compiledHead(held),
      openCaller: held.settings.open ? anonymous : null,
      callers: lookups.callers,
      budgeted: lookups.budgeted,
      promptClasses: plan.tables
        ? inOrder(held.lists.prompt_classes)
        : before.compiled.promptClasses,
      dropped,
    },
  };
}

const routingOf = ({
  models,
  frontendModels,
  frontendModelsById,
  pools,
  fallback,
}: RoutingTables) => ({
  models,
  frontendModels,
  frontendModelsById,
  pools,
  fallback,
});

/**
 * `gone` are the verifiers, before the delta, of the keys that it sets or removes. `unbudgeted` are
 * the principals that it sets or removes, if they existed.
 */
type Plan = Readonly<{
  unbudgeted: readonly PrincipalId[];
  tables: boolean;
  allCallers: boolean;
  gone: readonly Readonly<{ id: ApiKeyId; verifier: string }>[];
}>;

/** Reads the snapshot before the delta. */
function planOf(held: HeldSnapshot, delta: SnapshotDelta): Plan {
  const { config, settings, secrets, overlay } = delta;
  const keys = replaced(held.lists.api_keys, config.api_keys);
  const providers = replaced(held.lists.providers, config.providers);
  // A secret that could not be read before belongs to an entry that did not change.
  const expected = new Set([
    ...refsOf(keys, providers),
    ...refsOf(config.api_keys?.set ?? [], config.providers?.set ?? []),
  ]);
  const isSurprise = [...Object.keys(secrets.set), ...secrets.removed].some(
    (ref) => !expected.has(ref),
  );
  const { providers: changedProviders, models, frontend_models, pools, prompt_classes } = config;
  const routing = [changedProviders, models, frontend_models, pools, prompt_classes, settings];
  const isRouting = [...routing, overlay.tokens, overlay.dropped_providers];
  return {
    tables: isSurprise || isRouting.some((part) => part !== undefined),
    allCallers: isSurprise || config.roles !== undefined,
    unbudgeted: replaced(held.lists.principals, config.principals).map(({ id }) => id),
    gone: keys.flatMap(({ id, verifier_ref: ref }) => {
      const verifier = held.secrets.get(ref);
      return verifier === undefined ? [] : [{ id, verifier }];
    }),
  };
}

type Change<Member> = Readonly<{ set: readonly Member[]; removed: readonly number[] }>;

const replaced = <Member extends Readonly<{ id: number }>>(
  list: ReadonlyMap<number, Member>,
  change: Change<Member> | undefined,
): readonly Member[] =>
  change === undefined
    ? []
    : [...change.set.map(({ id }) => id), ...change.removed].flatMap((id) => list.get(id) ?? []);

const refsOf = (
  keys: readonly SnapshotApiKey[],
  providers: readonly SnapshotProvider[],
): readonly string[] => [
  ...keys.map((key) => key.verifier_ref),
  ...providers.flatMap((one) => one.credential_ref ?? []),
];

/** Grants are bits by the index of a model, and depend on its name and on whether it is open. */
function sameGrants(
  one: ReadonlyMap<string, CompiledModel>,
  other: ReadonlyMap<string, CompiledModel>,
): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const [name, { index, isOpen }] of one) {
    const model = other.get(name);
    if (model?.index !== index || model.isOpen !== isOpen) return false;
  }
  return true;
}

type Models = RoutingTables['models'];

const sourcesOf = (held: HeldSnapshot, models: Models): CallerSources => ({
  principals: held.lists.principals.values(),
  keys: held.lists.api_keys.values(),
  verifierOf: (key) => held.secrets.get(key.verifier_ref),
  compilePrincipal: principalCompilerFrom({
    roles: [...held.lists.roles.values()],
    models,
    useOf: (id) => held.budgets.get(id),
  }),
});

type Lookups = Pick<HeldLookups, 'callers' | 'budgeted'>;

function allCallers(held: HeldSnapshot, models: Models, dropped: string[]): Lookups {
  const budgeted = new Set<PrincipalId>();
  for (const { id, budget } of held.lists.principals.values())
    if (budget !== null) budgeted.add(id);
  return { callers: compileCallers(sourcesOf(held, models), dropped), budgeted };
}

type Changed = Readonly<{ plan: Plan; delta: SnapshotDelta; dropped: string[]; models: Models }>;

function changedCallers(
  held: HeldSnapshot,
  { callers, budgeted }: HeldLookups,
  { plan, delta, dropped, models }: Changed,
): Lookups {
  for (const { id, verifier } of plan.gone) {
    if (callers.get(verifier)?.keyId === id) callers.delete(verifier);
  }
  const { principals } = held.lists;
  const { principals: change = { set: [], removed: [] }, api_keys: keys } = delta.config;
  const { budgets } = delta.overlay;
  const changedIds = [...change.set.map(({ id }) => id), ...change.removed];
  for (const id of plan.unbudgeted) budgeted.delete(id);
  for (const { id, budget } of change.set) if (budget !== null) budgeted.add(id);
  const told = [...budgets.set.map((use) => use.principal_id), ...budgets.removed];
  const touched = new Set<number>([...changedIds, ...told]);
  const { verifierOf, compilePrincipal } = sourcesOf(held, models);
  const callerOf = memo((id: PrincipalId) => {
    const principal = principals.get(id);
    return principal === undefined ? null : compilePrincipal(principal);
  });
  for (const key of [...(keys?.set ?? []), ...keysOf(held, touched)]) {
    const principal = callerOf(key.principal_id);
    const verifier = usableVerifier(verifierOf(key));
    if (principal !== null && verifier !== null) callers.set(verifier, keyCaller(principal, key));
    else {
      dropped.push(unusableKey(key));
      if (verifier !== null) callers.delete(verifier);
    }
  }
  return { callers, budgeted };
}

function keysOf(
  { lists, keysOf: ids }: HeldSnapshot,
  principals: ReadonlySet<number>,
): readonly SnapshotApiKey[] {
  const keys: SnapshotApiKey[] = [];
  for (const principal of principals) {
    for (const id of ids.get(principal) ?? []) {
      const key = lists.api_keys.get(id);
      if (key !== undefined) keys.push(key);
    }
  }
  return keys;
}

function memo<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
