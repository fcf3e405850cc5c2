// How a target or a pool member refers to a provider model: by id, and by the last name once the model is gone, so that
// deletion and registration under the same name leave routing as it was.

import type { ModelId } from '../../src/lib/ids.ts';

type ModelRef = Readonly<{ model_id: ModelId | null; gone_model: string | null }>;
type Named = Readonly<{ model_id: ModelId; model: string }>;

/** The list behind the loss of a model: what referred to it keeps its name. */
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

/** The list behind the coming of a model: what kept its name refers to it. */
export const withFound = <Ref extends ModelRef>(
  refs: readonly Ref[],
  { model_id, model }: Named,
): readonly Ref[] => {
  if (!refs.some((ref) => ref.gone_model === model)) return refs;
  return withoutRepeats(
    refs.map((ref) => (ref.gone_model === model ? { ...ref, model_id, gone_model: null } : ref)),
  );
};

/** Names change hands: two that were two models can come to be one, and the first stays. */
const withoutRepeats = <Ref extends ModelRef>(refs: readonly Ref[]): readonly Ref[] =>
  refs.filter(
    (ref, index) =>
      (ref.model_id === null && ref.gone_model === null) ||
      refs.findIndex(
        (other) => other.model_id === ref.model_id && other.gone_model === ref.gone_model,
      ) === index,
  );
