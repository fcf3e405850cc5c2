// Defines the reference of a target or pool member to a provider model: by id, or by the last name
// if the model was deleted. So a model that is registered again under its name is routed to as
// before.

import type { ModelId } from '../../src/lib/ids.ts';

type ModelRef = Readonly<{ model_id: ModelId | null; gone_model: string | null }>;
type Named = Readonly<{ model_id: ModelId; model: string }>;

/** References to the lost model keep its name. */
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

/** References with the name of the new model point to it. */
export const withFound = <Ref extends ModelRef>(
  refs: readonly Ref[],
  { model_id, model }: Named,
): readonly Ref[] => {
  if (!refs.some((ref) => ref.gone_model === model)) return refs;
  return withoutRepeats(
    refs.map((ref) => (ref.gone_model === model ? { ...ref, model_id, gone_model: null } : ref)),
  );
};

/** If two references now name the same model, the first stays. */
const withoutRepeats = <Ref extends ModelRef>(refs: readonly Ref[]): readonly Ref[] =>
  refs.filter(
    (ref, index) =>
      (ref.model_id === null && ref.gone_model === null) ||
      refs.findIndex(
        (other) => other.model_id === ref.model_id && other.gone_model === ref.gone_model,
      ) === index,
  );
