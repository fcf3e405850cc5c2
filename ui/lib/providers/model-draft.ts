// The form of a model, and what of it is sent: what differs from the record alone. A field that was emptied is sent as null, which
// clears it. Prices are typed in dollars per million tokens.

import { modelFields } from '../../../src/fields/model.ts';
import { entityTypes } from '../saves/entity-fields.ts';
import { formOf, name, text, typedBy } from '../saves/typed.ts';

export const modelForm = formOf({
  name,
  description: text,
  ...typedBy(modelFields, entityTypes),
});
export type ModelDraft = typeof modelForm.blank;
