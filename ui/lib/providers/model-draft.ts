// Reads the form of a model. Only changed fields are sent; an empty field is sent as null, which clears it. Prices are in dollars per
// million tokens.

import { modelFields } from '../../../src/fields/model.ts';
import { entityTypes } from '../saves/entity-fields.ts';
import { formOf, name, text, typedBy } from '../saves/typed.ts';
import type { Texts } from '../saves/typed.ts';

export const modelForm = formOf({
  name,
  description: text,
  ...typedBy(modelFields, entityTypes),
});
/** A price card has members of its own. */
export type ModelDraft = typeof modelForm.blank & Texts;
