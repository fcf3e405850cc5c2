// Applies a delta to a held snapshot and to the lookups compiled from it. A revoked key is one
// deletion. Lookups that depend on more than the changed entries are compiled again as a whole:
// the routing tables, and the principals if grants may differ.

import {
  anonymous,
  callersOf,
  compileKeys,
  compilePrincipals,
  principalCompilerFrom,
  unusableKey,
  usableVerifier,
} from '../compile/callers.ts';
import type { Caller, CompilePrincipal } from '../compile/callers.ts';
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
  keys: Map<string, SnapshotApiKey>;
  principals: Map<number, Caller>;
  budgeted: Set<PrincipalId>;
}>;

/** Copies what deltas change in place. */
export const lookupsOf = (compiled: CompiledSnapshot): HeldLookups => ({
  compiled,
  keys: new Map(compiled.callers.keys),
  principals: new Map(compiled.callers.principals),
  budgeted: new Set(compiled.budgeted),
});

/** An earlier compiled snapshot shares the keys: a revoked key is gone for all requests. */
export function applyDelta(
  held: HeldSnapshot,
  before: HeldLookups,
  delta: SnapshotDelta,
): HeldLookups {
  const plan = planOf(held, delta);
  changeHeld(held, delta);
  const dropped: string[] = [];
  const tables = plan.tables ? compileTables(routingPart(held), dropped) : before.compiled;
  const { models } = tables;
  const changed = { plan, delta, dropped };
  const isRegranted = plan.allPrincipals || !sameGrants(before.compiled.models, models);
  const principals = isRegranted
    ? compilePrincipals(held.lists.principals.values(), principalsOf(held, models))
    : changedPrincipals(held, before, { ...changed, models });
  const lookups = {
    principals,
    keys: plan.allKeys ? allKeys(held, principals, dropped) : changedKeys(held, before, changed),
    budgeted: changedBudgets(before, changed),
  };
  return {
    ...lookups,
    compiled: {
      ...before.compiled,
      ...routingOf(tables),
      ...compiledHead(held),
      openCaller: held.settings.open ? anonymous : null,
      callers: callersOf(lookups.keys, lookups.principals),
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
  allKeys: boolean;
  allPrincipals: boolean;
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
    allKeys: isSurprise,
    allPrincipals: config.roles !== undefined,
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

const principalsOf = (held: HeldSnapshot, models: Models): CompilePrincipal =>
  principalCompilerFrom({
    roles: [...held.lists.roles.values()],
    models,
    useOf: (id) => held.budgets.get(id),
  });

type Changed = Readonly<{ plan: Plan; delta: SnapshotDelta; dropped: string[] }>;

function changedPrincipals(
  held: HeldSnapshot,
  { principals }: HeldLookups,
  { delta, models }: Changed & Readonly<{ models: Models }>,
): HeldLookups['principals'] {
  const { set, removed } = delta.config.principals ?? { set: [], removed: [] };
  const { budgets } = delta.overlay;
  const told = [...budgets.set.map((use) => use.principal_id), ...budgets.removed];
  const compile = principalsOf(held, models);
  for (const id of new Set([...set.map((one) => one.id), ...told])) {
    const principal = held.lists.principals.get(id);
    if (principal !== undefined) principals.set(id, compile(principal));
  }
  for (const id of removed) principals.delete(id);
  return principals;
}

const verifierIn =
  ({ secrets }: HeldSnapshot) =>
  (key: SnapshotApiKey): string | undefined =>
    secrets.get(key.verifier_ref);

const allKeys = (
  held: HeldSnapshot,
  principals: HeldLookups['principals'],
  dropped: string[],
): HeldLookups['keys'] =>
  compileKeys(
    { keys: held.lists.api_keys.values(), verifierOf: verifierIn(held), principals },
    dropped,
  );

function changedKeys(
  held: HeldSnapshot,
  { keys }: HeldLookups,
  { plan, delta, dropped }: Changed,
): HeldLookups['keys'] {
  for (const { id, verifier } of plan.gone) {
    if (keys.get(verifier)?.id === id) keys.delete(verifier);
  }
  for (const key of delta.config.api_keys?.set ?? []) {
    const verifier = usableVerifier(verifierIn(held)(key));
    if (verifier !== null) keys.set(verifier, key);
    if (verifier === null || !held.lists.principals.has(key.principal_id)) {
      dropped.push(unusableKey(key));
    }
  }
  return keys;
}

function changedBudgets(
  { budgeted }: HeldLookups,
  { plan, delta }: Changed,
): HeldLookups['budgeted'] {
  for (const id of plan.unbudgeted) budgeted.delete(id);
  for (const { id, budget } of delta.config.principals?.set ?? []) {
    if (budget !== null) budgeted.add(id);
  }
  return budgeted;
}
