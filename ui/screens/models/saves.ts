// Builds the saves of a model.

import { html } from 'lit';

import { calling } from '../../api/http/call.ts';
import type { attachBody, flowForm } from '../../lib/providers/backend-draft.ts';
import type { modelForm } from '../../lib/providers/model-draft.ts';
import { additionOf, changeOf, deletionOf, seen, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import { usesText } from './columns.ts';
import type { ModelRow } from './load.ts';
import type { PriceEdit } from './price.ts';

type BodyOf<Read> = Extract<Read, { body: unknown }>['body'];
type ModelBody = BodyOf<ReturnType<typeof modelForm.read>>;
type FlowChange = BodyOf<ReturnType<typeof flowForm.change>>;

const noun = 'model';

/** A new model opens the form that attaches a provider. */
export const creationSave = (body: ModelBody): Save =>
  additionOf(
    { noun, name: body.name },
    {
      after: body,
      opens: (answered) => [...theMade(answered), 'attach'],
      run: calling('POST', '/admin/provider-models', { body }),
    },
  );

export const changeSave = (model: ModelRow, body: Partial<ModelBody>): Save =>
  changeOf(
    { noun, name: model.name },
    {
      before: model,
      after: body,
      run: calling('PATCH', '/admin/provider-models/{id}', { ...seen(model), body }),
    },
  );

export const priceSave = (model: ModelRow, { field, price }: PriceEdit): Save => ({
  ...changeSave(model, { [field]: price }),
  heading: `Edit price of ${model.name}`,
  verb: 'Save price',
  done: `Price of ${model.name} updated`,
});

export const attachSave = (model: ModelRow, body: ReturnType<typeof attachBody>): Save => {
  const { upstream_api_key: key, ...rest }: typeof body & { upstream_api_key?: string } = body;
  return {
    heading: `Attach ${model.name}`,
    verb: 'Attach',
    done: `Model ${model.name} attached`,
    before: {},
    after: { ...rest, ...(key === undefined ? {} : { credential: 'new' }) },
    run: calling('POST', '/admin/provider-models/{id}/backends', { ...seen(model), body }),
  };
};

export const flowSave = (model: ModelRow, body: FlowChange): Save => ({
  heading: `Edit flow control of ${model.name}`,
  verb: 'Save changes',
  done: `Flow control of ${model.name} updated`,
  before: { ...model.backend },
  after: body,
  run: calling('PATCH', '/admin/backends/{id}', { ...seen(model), body }),
});

export const detachSave = (model: ModelRow): Save => {
  const { opens: _, ...save } = deletionOf(
    { noun, name: model.name },
    { breaks: breakage(model), run: calling('DELETE', '/admin/backends/{id}', seen(model)) },
  );
  const { name } = model;
  return {
    ...save,
    heading: `Detach ${name}`,
    verb: 'Detach model',
    done: `Model ${name} detached`,
  };
};

export const deleteSave = (model: ModelRow): Save =>
  deletionOf(
    { noun, name: model.name },
    { breaks: breakage(model), run: calling('DELETE', '/admin/provider-models/{id}', seen(model)) },
  );

function breakage(model: ModelRow) {
  const uses = usesText(model);
  return html`<p>
      ${
        uses.length === 0
          ? 'No frontend model or pool uses this model. Direct calls will fail.'
          : 'These will skip it; those without another target will fail:'
      }
    </p>
    ${uses.map((text) => html`<p><code>${text}</code></p>`)}
    <p class="quiet">The provider and recorded usage are kept.</p>`;
}
