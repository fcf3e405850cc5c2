// What can be done to frontend models, pools and the fallback, each as a save. What is done to rules stands in rule-saves.ts.

import { call } from '../../api/http/call.ts';
import type { FrontendModel, Pool } from '../../api/records.ts';
import { shownFrontendModel } from '../../lib/routing/frontend-model-draft.ts';
import type { FrontendModelBody } from '../../lib/routing/frontend-model-draft.ts';
import { membersText } from '../../lib/routing/pool.ts';
import type { PoolBody } from '../../lib/routing/pool.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

export const frontendModelCreation = (body: FrontendModelBody): Save => ({
  heading: `Add ${body.name}`,
  verb: 'Add frontend model',
  done: `Frontend model ${body.name} added`,
  before: {},
  after: body,
  ...(body.default_targets?.length === 0
    ? { about: 'It has no target: requests are rejected until you add a rule or a target.' }
    : {}),
  opens: theMade,
  run: (change) => call('POST', '/admin/frontend-models', { body, ...change }),
});

export const frontendModelUpdate = (
  one: FrontendModel,
  body: Partial<FrontendModelBody>,
): Save => ({
  heading: `Change ${one.name}`,
  verb: 'Publish change',
  done: `Frontend model ${one.name} changed`,
  before: shownFrontendModel(one),
  after: body,
  run: (change) =>
    call('PATCH', '/admin/frontend-models/{id}', {
      params: { id: one.id },
      body,
      version: one.version,
      ...change,
    }),
});

export const frontendModelDeletion = (one: FrontendModel): Save => ({
  heading: `Delete ${one.name}`,
  verb: 'Delete frontend model',
  done: `Frontend model ${one.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: one.name,
  opens: theList,
  run: (change) =>
    call('DELETE', '/admin/frontend-models/{id}', {
      params: { id: one.id },
      version: one.version,
      ...change,
    }),
});

/** Members as a person reads them. */
const shownPool = ({ members, ...body }: Partial<PoolBody>) => ({
  ...body,
  ...(members === undefined ? {} : { members: membersText(members) }),
});

const poolPlace = (answered: unknown): readonly (string | number)[] => [
  'pools',
  ...theMade(answered),
];

export const poolCreation = (body: PoolBody): Save => ({
  heading: `Add pool ${body.name}`,
  verb: 'Add pool',
  done: `Pool ${body.name} added`,
  before: {},
  after: shownPool(body),
  opens: poolPlace,
  run: (change) => call('POST', '/admin/model-pools', { body, ...change }),
});

export const poolUpdate = (pool: Pool, body: Partial<PoolBody>): Save => ({
  heading: `Change pool ${pool.name}`,
  verb: 'Publish change',
  done: `Pool ${pool.name} changed`,
  before: { ...pool, members: membersText(pool.members) },
  after: shownPool(body),
  opens: () => ['pools', pool.id],
  run: (change) =>
    call('PATCH', '/admin/model-pools/{id}', {
      params: { id: pool.id },
      body,
      version: pool.version,
      ...change,
    }),
});

export const poolDeletion = (pool: Pool): Save => ({
  heading: `Delete pool ${pool.name}`,
  verb: 'Delete pool',
  done: `Pool ${pool.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: pool.name,
  opens: () => ['pools'],
  run: (change) =>
    call('DELETE', '/admin/model-pools/{id}', {
      params: { id: pool.id },
      version: pool.version,
      ...change,
    }),
});

type Named = Readonly<{ id: number; name: string }>;

/** Null clears it. */
export const fallbackSave = (before: Named | null, after: Named | null): Save => ({
  heading: after === null ? 'Clear the fallback model' : 'Set the fallback model',
  verb: after === null ? 'Clear fallback' : 'Publish fallback',
  done: after === null ? 'Fallback model cleared' : `Fallback model is ${after.name}`,
  before: { fallback_model: before?.name ?? null },
  after: { fallback_model: after?.name ?? null },
  opens: theList,
  run: (change) =>
    call('PUT', '/admin/fallback-model', { body: { model_id: after?.id ?? null }, ...change }),
});
