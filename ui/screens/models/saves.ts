// What can be done to a model, each as a save.

import { call } from '../../api/http/call.ts';
import type { attachBody, flowForm } from '../../lib/providers/backend-draft.ts';
import type { modelForm } from '../../lib/providers/model-draft.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import type { ModelRow } from './load.ts';
import type { PriceEdit } from './price.ts';

type BodyOf<Read> = Extract<Read, { body: unknown }>['body'];
type ModelBody = BodyOf<ReturnType<typeof modelForm.read>>;
type FlowChange = BodyOf<ReturnType<typeof flowForm.change>>;

/** What comes next is its provider. */
export const creationSave = (body: ModelBody): Save => ({
  heading: `Add model ${body.name}`,
  verb: 'Add model',
  done: `Model ${body.name} added`,
  before: {},
  after: body,
  opens: (answered) => [...theMade(answered), 'attach'],
  run: (change) => call('POST', '/admin/provider-models', { body, ...change }),
});

export const changeSave = (model: ModelRow, body: Partial<ModelBody>): Save => ({
  heading: `Change ${model.name}`,
  verb: 'Publish change',
  done: `Model ${model.name} changed`,
  before: model,
  after: body,
  run: (change) =>
    call('PATCH', '/admin/provider-models/{id}', {
      params: { id: model.id },
      body,
      version: model.version,
      ...change,
    }),
});

export const priceSave = (model: ModelRow, { field, price }: PriceEdit): Save => ({
  ...changeSave(model, { [field]: price }),
  heading: `Price of ${model.name}`,
  verb: 'Publish price',
  done: `Price of ${model.name} changed`,
});

export const attachSave = (model: ModelRow, body: ReturnType<typeof attachBody>): Save => {
  const { upstream_api_key: key, ...rest }: typeof body & { upstream_api_key?: string } = body;
  return {
    heading: `Attach ${model.name}`,
    verb: 'Attach',
    done: `Model ${model.name} attached`,
    before: {},
    after: { ...rest, ...(key === undefined ? {} : { credential: 'a new one' }) },
    run: (change) =>
      call('POST', '/admin/provider-models/{id}/backends', {
        params: { id: model.id },
        body,
        version: model.version,
        ...change,
      }),
  };
};

export const flowSave = (model: ModelRow, body: FlowChange): Save => ({
  heading: `Flow control of ${model.name}`,
  verb: 'Publish change',
  done: `Flow control of ${model.name} changed`,
  before: { ...model.backend },
  after: body,
  run: (change) =>
    call('PATCH', '/admin/backends/{id}', {
      params: { id: model.id },
      body,
      version: model.version,
      ...change,
    }),
});

export const detachSave = (model: ModelRow): Save => ({
  heading: `Detach ${model.name}`,
  verb: 'Detach model',
  done: `Model ${model.name} detached`,
  before: null,
  after: null,
  danger: true,
  name: model.name,
  run: (change) =>
    call('DELETE', '/admin/backends/{id}', {
      params: { id: model.id },
      version: model.version,
      ...change,
    }),
});

export const deleteSave = (model: ModelRow): Save => ({
  heading: `Delete ${model.name}`,
  verb: 'Delete model',
  done: `Model ${model.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: model.name,
  opens: theList,
  run: (change) =>
    call('DELETE', '/admin/provider-models/{id}', {
      params: { id: model.id },
      version: model.version,
      ...change,
    }),
});
