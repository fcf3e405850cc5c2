// Imports a configuration file through the command path (specification, "Commands of the binary").
// Importing it again changes nothing. It dials nothing, so a file may be imported before its
// providers are reachable.

import { decide } from '../../deciders/decide.ts';
import { unfoldSteps } from '../../deciders/reconcile/steps.ts';
import type { ImportStep } from '../../deciders/reconcile/step.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { readDocument } from '../../snapshot/file/document.ts';
import type { ConfigDocument } from '../../snapshot/file/document.ts';
import { unknownGrants } from '../../snapshot/file/keys.ts';
import { planLayout, namesServed } from '../../snapshot/file/layout.ts';
import type { Layout } from '../../snapshot/file/layout.ts';
import { issueLines, issueText } from '../../snapshot/file/source.ts';
import type { Environment, Issue, Source } from '../../snapshot/file/source.ts';
import { defaultTuning } from '../../snapshot/tuning.ts';
import { unfitCredential } from '../providers/endpoint.ts';
import { changeText } from './import-change.ts';
import { planImport } from './import-plan.ts';
import type { ImportPlan } from './import-plan.ts';
import type { ControlPlane } from '../plane.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';

export type ImportGiven = Readonly<{
  /** The file, or its errors. */
  source: Source | readonly Issue[];
  environment: Environment;
  /** Leaves out entries that gw cannot serve, with a warning each. */
  skipUnsupported?: boolean;
  dryRun: boolean;
  /** The reason for bypassing the approval that the change policy requires. */
  breakGlass?: string | undefined;
}>;

export type ImportReport = Readonly<{
  /** The content of the file. */
  models: number;
  keys: number;
  /** One line per change. Contains no secrets. */
  changes: readonly string[];
  /** Unchanged if nothing changed or in a dry run. */
  version: number;
  warnings: readonly string[];
}>;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'execute' | 'store' | 'vault' | 'refresh'>;
  newId: () => string;
}>;

/** Reports all errors of the file before any change, one line each. */
export async function importConfig(
  { plane, newId }: Dependencies,
  { source, environment, skipUnsupported = false, dryRun, breakGlass }: ImportGiven,
): Promise<ImportReport | readonly Refusal[]> {
  const reading = { environment, masterKey: null, mayLackModels: true, skipUnsupported };
  const { document, errors, warnings } = readDocument(source, reading);
  if (document === null) return issueLines(errors).map((line) => refuse('invalid', line));
  await plane.refresh();
  const layout = layOutFor(document, plane);
  if (!('models' in layout)) return layout;
  const unfit = unfitProviders(document, layout);
  if (unfit.length > 0) return unfit;
  const plan = await planFor(document, layout, { plane, newId });
  const state = plane.store.state();
  const unfolded = unfoldSteps(state, plan.steps, decide);
  if (isRefusal(unfolded)) return [unfolded];
  const held = [state.model, state.pool, state.frontend_model].map(({ byId }) => namesOf(byId));
  const names = [namesServed(layout), ...held];
  const isKnown = (name: string): boolean => names.some((one) => one.has(name));
  const unknown = 'tree' in source ? unknownGrants(source, document.keys, isKnown) : [];
  const report = {
    models: layout.models.length,
    keys: (document.keys ?? []).length,
    changes: unfolded.events.map((event) => changeText(unfolded.state, event)),
    warnings: [...[...warnings, ...unknown].map(issueText), ...untaken(document)],
  };
  if (dryRun || unfolded.events.length === 0) return { ...report, version: state.version };
  const groups = groupsOf(plan.steps, unfolded.counts);
  const version = await run({ ...plan, breakGlass }, groups, { plane, newId });
  return isRefusal(version) ? [version] : { ...report, version };
}

const namesOf = (entities: ReadonlyMap<number, Readonly<{ name: string }>>): ReadonlySet<string> =>
  new Set([...entities.values()].map(({ name }) => name));

function layOutFor(
  document: ConfigDocument,
  { store }: Dependencies['plane'],
): Layout | readonly Refusal[] {
  const state = store.state();
  const routed = namesOf(state.frontend_model.byId);
  const models = namesOf(state.model.byId);
  const own = new Set(document.frontendModels.map(({ name }) => name));
  // A name that an earlier import made a frontend model stays one, even if the file now has one
  // entry for it. If a model has the name too, an operator created the frontend model, and the
  // entry is the model.
  const isRouted = (name: string) => routed.has(name) && !models.has(name) && !own.has(name);
  const layout = planLayout(document, { several: false, isRouted });
  return 'models' in layout ? layout : layout.map((message) => refuse('invalid', message));
}

/** Checks provider rules of the admin API that the file's parser does not know. */
function unfitProviders({ providers }: ConfigDocument, { models }: Layout): readonly Refusal[] {
  const served = models.flatMap(({ name, backends }) =>
    backends.map(({ provider }) => ({ label: `model ${name}`, provider })),
  );
  const named = providers.map((provider) => ({ label: `provider ${provider.name}`, provider }));
  const unfit = [...named, ...served].flatMap(({ label, provider }) => {
    const { credential, credentialKind } = provider;
    const wrong = credential === null ? null : unfitCredential(credentialKind, credential);
    return wrong === null ? [] : [{ ...wrong, message: `${label}: ${wrong.message}` }];
  });
  const unknown = providers.flatMap(({ name, catalogueKey: key }) =>
    key === null || findCatalogueEntry(key) !== null
      ? []
      : [refuse('invalid', `provider ${name}: catalogue_key ${key} is not in the catalogue`)],
  );
  return [...unfit, ...unknown];
}

async function planFor(
  document: ConfigDocument,
  layout: Layout,
  { plane: { db, store, vault }, newId }: Dependencies,
): Promise<ImportPlan> {
  const refs = [...store.state().api_key.byId.values()].map(({ verifierRef }) => verifierRef);
  const verifiers = await vault.reveal(db, refs);
  const byVerifier = Map.groupBy(verifiers.keys(), (ref) => verifiers.get(ref) ?? '');
  return planImport(document, layout, {
    newId,
    fingerprint: vault.fingerprint,
    heldRefs: (verifier) => byVerifier.get(verifier) ?? [],
  });
}

const untaken = ({ tuning }: ConfigDocument): readonly string[] =>
  JSON.stringify(tuning) === JSON.stringify(defaultTuning)
    ? []
    : ['gw: the tuning is not imported; only a proxy in File mode reads it'];

/**
 * Events per transaction. Other changes wait for it, and Postgres ends a transaction that is idle
 * for 5 s while a busy machine computes. A larger import uses several transactions.
 */
const eventsMax = 1_000;

type Group = Readonly<{ steps: readonly ImportStep[]; events: number }>;

function groupsOf(steps: readonly ImportStep[], counts: readonly number[]): readonly Group[] {
  const groups: { steps: ImportStep[]; events: number }[] = [];
  for (const [index, step] of steps.entries()) {
    const count = counts[index] ?? 0;
    const last = groups.at(-1);
    if (last === undefined || last.events + count > eventsMax) {
      groups.push({ steps: [step], events: count });
    } else {
      last.steps.push(step);
      last.events += count;
    }
  }
  return groups.filter(({ events }) => events > 0);
}

async function run(
  { secrets, breakGlass }: ImportPlan & Readonly<{ breakGlass?: string | undefined }>,
  groups: readonly Group[],
  { plane, newId }: Dependencies,
): Promise<number | Refusal> {
  const requestId = newId();
  const all = groups.reduce((sum, { events }) => sum + events, 0);
  let made = 0;
  let version = plane.store.state().version;
  for (const { steps } of groups) {
    const command = { type: 'ImportConfig', steps } as const;
    const texts = textsIn(steps);
    const outcome = await plane
      .execute(
        { command, secrets: secrets.filter(({ ref }) => texts.has(ref)) },
        {
          actor: { kind: 'cli', principal_id: null },
          action: 'CLI',
          target: 'import',
          requestId,
          reason: null,
          breakGlass: breakGlass ?? null,
        },
      )
      .catch((cause: unknown) => {
        throw made === 0 ? cause : new Error(`${brokeOff(made, all)}; ${again}`, { cause });
      });
    if (isRefusal(outcome)) {
      if (made === 0) return outcome;
      return { ...outcome, message: `${brokeOff(made, all)}: ${outcome.message}; ${again}` };
    }
    made += outcome.events.filter(({ type }) => type !== 'NoChange').length;
    version = outcome.version;
  }
  return version;
}

const brokeOff = (made: number, all: number): string =>
  `the import stopped after ${made} of ${all} changes, which are kept`;
const again = 'run the import again to make the remaining changes';

function textsIn(steps: readonly ImportStep[]): ReadonlySet<string> {
  const texts = new Set<string>();
  JSON.stringify(steps, (_name, value: unknown) => {
    if (typeof value === 'string') texts.add(value);
    return value;
  });
  return texts;
}
