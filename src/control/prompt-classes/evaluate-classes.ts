// Evaluates prompt classes by their own examples, whose texts are read from the vault and never
// returned. Classes of tier fast compete with each other, those of tier refined with others that
// refine the same class.

import type { Queryable } from '@databases/pg';

import type { PromptClass } from '../../../projections/config/prompt-class.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { embedderOf } from '../../classifier/centroids.ts';
import type { Embed } from '../../classifier/centroids.ts';
import type { Encoders } from '../../classifier/encoder.ts';
import { evaluate, evaluatedExamplesMin } from '../../classifier/evaluate.ts';
import type { ClassEvaluation, Confusion, EvaluatedClass } from '../../classifier/evaluate.ts';
import type { Vault } from '../../db/vault.ts';
import type { PromptClassTier } from '../../lib/vocabulary.ts';
import { exampleTexts } from '../publishing/centroids.ts';

/** `refines` is null in the fast tier. */
type Contending<Result> = Result & Readonly<{ refines: string | null }>;

type LabelledConfusion = Contending<Confusion & { label: string | null }>;

export type ClassesEvaluation = Readonly<{
  classes: readonly Contending<ClassEvaluation & { tier: PromptClassTier }>[];
  confusions: readonly LabelledConfusion[];
  /** Says why classes are missing. Null if all are evaluated. */
  note: string | null;
}>;

type Dependencies = Readonly<{
  db: Queryable;
  vault: Pick<Vault, 'reveal'>;
  encoders: Encoders | null;
  /** Called when the refined encoder fails. Its classes are then not evaluated. */
  onFailure: (error: unknown) => void;
}>;

/** Per class, the newest ones. Bounds the duration of an evaluation. */
const examplesMax = 200;
const confusionsMax = 20;
/** For a few texts. */
const refinedWaitMs = 30_000;

export async function evaluateClasses(
  { db, vault, encoders, onFailure }: Dependencies,
  state: ConfigState,
): Promise<ClassesEvaluation> {
  const classes: Contending<ClassEvaluation & { tier: PromptClassTier }>[] = [];
  const confusions: LabelledConfusion[] = [];
  const left = new Set([...state.prompt_class.byId.values()].map(({ name }) => name));
  for (const { tier, refines, members } of rivalries(state)) {
    const embed = embedderOf(encoders, tier, refinedWaitMs)?.embed;
    if (embed === undefined) continue;
    const evaluated: EvaluatedClass[] = [];
    for (const one of members) {
      const read = await readClass({ db, vault, onFailure }, one, embed);
      if (read.examples.length >= evaluatedExamplesMin) evaluated.push(read);
    }
    if (evaluated.length < 2) continue;
    const result = evaluate(evaluated);
    classes.push(...result.classes.map((one) => ({ ...one, tier, refines })));
    for (const confusion of result.confusions) {
      confusions.push({ ...confusion, label: labelOf(members, confusion), refines });
    }
    for (const { name } of evaluated) left.delete(name);
  }
  const note =
    left.size === 0
      ? null
      : `not evaluated, because they need a competing class, ${evaluatedExamplesMin} examples and an encoder: ` +
        [...left].slice(0, 20).join(', ');
  return { classes, confusions: confusions.slice(0, confusionsMax), note };
}

function labelOf(
  members: readonly PromptClass[],
  { actual, example_id: exampleId }: Confusion,
): string | null {
  const examples = members.find(({ name }) => name === actual)?.examples ?? [];
  return examples.find(({ id }) => id === exampleId)?.label ?? null;
}

type Rivalry = Readonly<{
  tier: PromptClassTier;
  refines: string | null;
  members: readonly PromptClass[];
}>;

function rivalries(state: ConfigState): readonly Rivalry[] {
  const all = [...state.prompt_class.byId.values()];
  const of = (tier: PromptClassTier) => all.filter((one) => one.tier === tier);
  const refined = of('refined');
  return [
    { tier: 'fast', refines: null, members: of('fast') },
    ...of('fast').flatMap(({ id, name }): readonly Rivalry[] => {
      const members = refined.filter(({ refines }) => refines.includes(id));
      return members.length < 2 ? [] : [{ tier: 'refined', refines: name, members }];
    }),
  ];
}

async function readClass(
  { db, vault, onFailure }: Omit<Dependencies, 'encoders'>,
  { name, minMargin, examples }: PromptClass,
  embed: Embed,
): Promise<EvaluatedClass> {
  const texts = await exampleTexts({ db, vault }, examples.slice(-examplesMax));
  const vectors = await embed([...texts.values()]).catch((error: unknown) => {
    onFailure(error);
    return [];
  });
  return {
    name,
    minMargin,
    examples: [...texts.keys()].flatMap((id, index) => {
      const vector = vectors[index] ?? null;
      return vector === null ? [] : [{ id, vector }];
    }),
  };
}
