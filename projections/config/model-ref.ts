// Defines the reference of a target or pool member to a provider model: by id, or by the last name
// if the model was deleted. Deleting a model and registering one with the same name therefore
// restores routing.

import type { ModelId } from '../../src/lib/ids.ts';

type ModelRef = Readonly<{ model_id: ModelId | null; gone_model: string | null }>;
type Named = Readonly<{ model_id: ModelId; model: string }>;

/** The list after the loss of a model: references to it keep its name. */
export const withLost = <Ref extends ModelRef>(
  refs: readonly Ref[],
  { model_id, model }: Named,
): readonly Ref[] => {
  if (!refs.some((ref) => ref.model_id === model_id)) return refs;
  return withoutRepeats(
    refs.map((ref) =>
      ref.model_id === model_id ? { ...ref, model_id: null, gone_model: model } : ref,
    ),
  );
};

/** The list after a model appears: references with its name point to it. */
export const withFound = <Ref extends ModelRef>(
  refs: readonly Ref[],
  { model_id, model }: Named,
): readonly Ref[] => {
  if (!refs.some((ref) => ref.gone_model === model)) return refs;
  return withoutRepeats(
    refs.map((ref) => (ref.gone_model === model ? { ...ref, model_id, gone_model: null } : ref)),
  );
};

/** Removes duplicates: if two references now name the same model, the first stays. */
const withoutRepeats = <Ref extends ModelRef>(refs: readonly Ref[]): readonly Ref[] =>
  refs.filter(
    (ref, index) =>
      (ref.model_id === null && ref.gone_model === null) ||
      refs.findIndex(
        (other) => other.model_id === ref.model_id && other.gone_model === ref.gone_model,
      ) === index,
  );
