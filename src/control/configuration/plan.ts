// Plans an apply of declarative files: compares them with the configuration and with the resources
// that the last apply managed, and decides all changes together. Dials nothing, so files may be
// applied before their providers are reachable.

import { hash } from 'node:crypto';

import type { Queryable } from '@databases/pg';

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { latestEvents } from '../../db/applied-configuration.ts';
import type { LatestEvent } from '../../db/applied-configuration.ts';
import type { Secret, Vault } from '../../db/vault.ts';
import { decide } from '../../deciders/decide.ts';
import { placeOf, reconcile } from '../../deciders/reconcile/records.ts';
import type {
  HeldRecord,
  ManagedRecord,
  Reconciled,
  RecordChange,
  WantedRecord,
} from '../../deciders/reconcile/records.ts';
import { unfoldSteps } from '../../deciders/reconcile/steps.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { nameOf } from '../files/import-plan.ts';
import { isListName, listNames, lists } from './format.ts';
import type { Declared } from './format.ts';
import { heldRecords, nameOfPrincipal, revealNames } from './held.ts';
import type { ReadManagedFiles } from './managed-files.ts';
import { stepsOf } from './steps.ts';
import type { PlanStep } from './putting.ts';
import { wantedRecords } from './wanted.ts';

export type Asked = Readonly<{
  files: Declared;
  set: string;
  /** Also deletes resources that the files' lists do not name. */
  prune: boolean;
}>;

/** The last change of a resource since the last apply. */
export type Drift = LatestEvent & Readonly<{ actor: string | null }>;

export type FilePlan = Readonly<{
  changes: readonly RecordChange[];
  unmanaged: readonly HeldRecord[];
  warnings: readonly string[];
  /** Existing resources that the files take over unchanged. */
  adopted: number;
  /** Equal for plans that make the same changes. */
  digest: string;
  steps: readonly PlanStep[];
  events: readonly GwEvent[];
  secrets: readonly Secret[];
}>;

export type ConfigurationPlan = Omit<FilePlan, 'changes'> &
  Readonly<{ changes: readonly (RecordChange & Readonly<{ drift: Drift | null }>)[] }>;

type Dependencies = Readonly<{
  db: Queryable;
  vault: Pick<Vault, 'reveal' | 'fingerprint'>;
  state: () => ConfigState;
  newId: () => string;
  clock: Clock;
  readManaged: ReadManagedFiles;
}>;

export async function planConfiguration(
  { db, vault, state: stateNow, newId, clock, readManaged }: Dependencies,
  asked: Asked,
): Promise<ConfigurationPlan | Refusal> {
  const state = stateNow();
  const revealed = await revealNames({ db, vault }, state);
  const { managed, lastApplies } = await readManaged();
  const { fingerprint } = vault;
  const sources = { state, revealed, managed, newId, nowMs: clock(), fingerprint };
  const plan = planFiles(sources, asked);
  if (isRefusal(plan)) return plan;
  const watched = plan.changes.filter(({ stream }) => managed.has(stream ?? ''));
  const drift = await driftOf(db, watched, lastApplies.get(asked.set) ?? Number.MAX_SAFE_INTEGER);
  const actorOf = (id: number | null): string | null => {
    const principal = id === null ? undefined : state.principal.byId.get(id);
    return principal === undefined ? null : nameOfPrincipal(revealed)(principal);
  };
  const changes = plan.changes.map((change) => {
    const latest = drift.get(change.stream ?? '');
    const seen = latest && { ...latest, actor: actorOf(latest.principal_id) };
    return { ...change, drift: seen ?? null };
  });
  return { ...plan, changes };
}

/**
 * `revealed` contains people's names and keys' verifiers by ref. `fingerprint` is equal for equal
 * texts.
 */
export type FileSources = Readonly<{
  state: ConfigState;
  revealed: ReadonlyMap<string, string>;
  managed: ReadonlyMap<string, ManagedRecord>;
  newId: () => string;
  nowMs: number;
  fingerprint: (text: string) => string;
}>;

export function planFiles(
  { state, revealed, managed, newId, nowMs, fingerprint }: FileSources,
  { files, set, prune }: Asked,
): FilePlan | Refusal {
  const read = wantedRecords(files, fingerprint);
  if (isRefusal(read)) return read;
  const revoked = revokedKeys({ state, revealed });
  const isRevoked = ({ list, key }: WantedRecord): boolean => list === 'keys' && revoked.has(key);
  const wanted = read.filter((one) => !isRevoked(one));
  const pruned = new Set(prune ? listNames.filter((list) => files[list] !== undefined) : []);
  const found = compare(state, (now) =>
    reconcile(heldRecords({ state: now, revealed }).records, wanted, managed, {
      set,
      prune: pruned,
    }),
  );
  if (isRefusal(found)) return found;
  const secrets: Secret[] = [];
  const vaulted = (secret: Omit<Secret, 'ref'>): string => {
    const ref = newId();
    secrets.push({ ref, ...secret });
    return ref;
  };
  const principalNamed = namesFor({ state, files, revealed, vaulted, fingerprint });
  const sources = { state: found.state, files, principalNamed, vaulted, fingerprint, nowMs };
  const after = stepsOf(found.changes, sources);
  if (isRefusal(after)) return after;
  const steps = [...found.removal, ...after];
  const unfolded = unfoldSteps(state, steps, decide);
  if (isRefusal(unfolded)) return unfolded;
  const known = new Map([...revealed, ...secrets.map((one) => [one.ref, one.plaintext] as const)]);
  const made = heldRecords({ state: unfolded.state, revealed: known }).records;
  const unmet = refuseUnmet(made, wanted, set);
  if (unmet !== null) return unmet;
  const handed = takeOver(found, { made, managed, set });
  const changes = [...found.changes, ...found.removed];
  const isNothing = steps.length + handed.taken.length + handed.released.length === 0;
  const data = { set, digest: digestOf(wanted), ...handed };
  const all = isNothing ? [] : [...steps, { step: 'applied', data } as const];
  const stream = streamOf('settings', 1);
  const applied = isNothing ? [] : [{ stream, type: 'ConfigurationApplied', data } as const];
  return {
    changes,
    unmanaged: found.unmanaged,
    warnings: read
      .filter(isRevoked)
      .map(({ name }) => `key ${name} was revoked and stays revoked; remove it from the files`),
    adopted: found.pairs.filter(({ held }) => held !== null && !managed.has(held.stream)).length,
    digest: digestOf({ files: wanted, changes, handed }),
    steps: all,
    events: [...unfolded.events, ...applied],
    secrets,
  };
}

type Compared = Reconciled &
  Readonly<{
    /** These deletions run before all other steps. */
    removal: readonly PlanStep[];
    removed: readonly RecordChange[];
    /** The configuration after `removal`, on which the other steps are based. */
    state: ConfigState;
  }>;

/**
 * A name that moves to another list is free only after its resource is deleted. Targets with this
 * name are lost in between.
 */
function compare(
  state: ConfigState,
  reconcileOn: (state: ConfigState) => Reconciled | Refusal,
): Compared | Refusal {
  const found = reconcileOn(state);
  if (isRefusal(found)) return found;
  const removed = givingNames(found.changes);
  if (removed.length === 0) return { ...found, removal: [], removed, state };
  const streams = removed.flatMap(({ stream }) => stream ?? []);
  const removal = [{ step: 'remove', streams } as const];
  const unfolded = unfoldSteps(state, removal, decide);
  if (isRefusal(unfolded)) return unfolded;
  const rest = reconcileOn(unfolded.state);
  return isRefusal(rest) ? rest : { ...rest, removal, removed, state: unfolded.state };
}

/**
 * Deletions of resources whose name another list takes. Pools, models and frontend models share
 * their names.
 */
const givingNames = (changes: readonly RecordChange[]): readonly RecordChange[] =>
  changes.filter(({ wanted, list, name }) => {
    const rivals = rivalLists.get(list);
    return (
      wanted === null &&
      changes.some(({ wanted: taker }) => taker?.key === name && rivals?.includes(taker.list))
    );
  });

const rivalLists: ReadonlyMap<string, readonly string[]> = new Map([
  ['pools', ['models', 'frontend_models']],
  ['models', ['pools']],
  ['frontend_models', ['pools']],
]);

/**
 * Null if the configuration after the apply matches the files. Otherwise a resource of the files
 * refers to one that the same apply deletes.
 */
function refuseUnmet(
  made: readonly HeldRecord[],
  wanted: readonly WantedRecord[],
  set: string,
): Refusal | null {
  const found = reconcile(made, wanted, new Map(), { set, prune: new Set() });
  if (isRefusal(found)) return found;
  for (const { wanted: one, name, fields } of found.changes) {
    const param = one && [placeOf(one), ...fields.slice(0, 1).map(({ field }) => field)].join('.');
    const message = `${param ?? name}: ${name} refers to a resource that this apply deletes`;
    return refuse('conflict', message, param === null ? {} : { param });
  }
  return null;
}

/** The digests of revoked keys, which files cannot restore. */
const revokedKeys = ({
  state,
  revealed,
}: Pick<FileSources, 'state' | 'revealed'>): ReadonlySet<string> =>
  new Set(
    [...state.api_key.byId.values()].flatMap(({ disabled, verifierRef }) =>
      disabled ? (revealed.get(verifierRef) ?? []) : [],
    ),
  );

const digestOf = (value: unknown): string => hash('sha256', canonicalJson(value));

type Naming = Readonly<{
  state: ConfigState;
  files: Declared;
  revealed: ReadonlyMap<string, string>;
}> &
  Parameters<typeof nameOf>[2];

/** Existing principals keep their stored names. */
function namesFor({ state, files, revealed, ...context }: Naming): (name: string) => StoredName {
  const labelOf = nameOfPrincipal(revealed);
  const known = new Map<string, StoredName>(
    [...state.principal.byId.values()].map((one) => [labelOf(one), one.name]),
  );
  const kinds = new Map(files.principals?.map(({ name, kind }) => [name, kind]));
  return (name) => {
    const stored = known.get(name) ?? nameOf(name, kinds.get(name), context);
    known.set(name, stored);
    return stored;
  };
}

type TakenOver = Readonly<{
  made: readonly HeldRecord[];
  managed: ReadonlyMap<string, ManagedRecord>;
  set: string;
}>;

type Handed = Pick<
  Extract<GwEvent, { type: 'ConfigurationApplied' }>['data'],
  'taken' | 'released'
>;

/** Only newly managed resources. Names of people are not recorded. */
function takeOver({ pairs }: Reconciled, { made, managed, set }: TakenOver): Handed {
  const streams = new Map(made.map(({ list, key, stream }) => [`${list} ${key}`, stream]));
  const own = pairs.flatMap(({ wanted, held }) => {
    const { list, key, stated } = wanted;
    const stream = held?.stream ?? streams.get(`${list} ${key}`);
    if (stream === undefined) return [];
    const isPersonal = list === 'keys' || (list === 'principals' && isPerson(wanted.fields));
    const secrets = isListName(list) ? lists[list].secrets : [];
    const fields = stated.filter((field) => !secrets.includes(field)).toSorted();
    return list === 'settings' && fields.length === 0 && !managed.has(stream)
      ? []
      : { stream, name: isPersonal ? null : key, fields };
  });
  const current = new Set(own.map(({ stream }) => stream));
  const isNews = ({ stream, name, fields }: (typeof own)[number]): boolean =>
    canonicalJson(managed.get(stream)?.fields) !== canonicalJson(fields) ||
    managed.get(stream)?.name !== name;
  return {
    taken: own.filter(isNews),
    released: [...managed].flatMap(([stream, one]) =>
      one.set === set && !current.has(stream) ? stream : [],
    ),
  };
}

const isPerson = ({ kind }: Readonly<Record<string, unknown>>): boolean => kind === 'user';

async function driftOf(
  db: Queryable,
  changes: readonly RecordChange[],
  after: number,
): Promise<ReadonlyMap<string, LatestEvent>> {
  const streams = changes.flatMap(({ stream }) => stream ?? []);
  const latest = streams.length === 0 ? [] : await latestEvents(db, { streams, after });
  return new Map(latest.map((one) => [one.stream, one]));
}
