// Builds the saves of frontend models, pools and the global fallback model. rule-saves.ts has those of rules.

import { calling } from '../../api/http/call.ts';
import type { FrontendModel, Pool } from '../../api/records.ts';
import { shownFrontendModel } from '../../lib/routing/frontend-model-draft.ts';
import type { FrontendModelBody } from '../../lib/routing/frontend-model-draft.ts';
import { membersText } from '../../lib/routing/pool.ts';
import type { PoolBody } from '../../lib/routing/pool.ts';
import { additionOf, changeOf, deletionOf, seen, theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

const noun = 'frontend model';

export const frontendModelCreation = (body: FrontendModelBody): Save =>
  additionOf(
    { noun, name: body.name },
    {
      after: body,
      ...(body.default_targets?.length === 0
        ? {
            about:
              'This frontend model has no targets. Requests are rejected until you create a rule or add a target.',
          }
        : {}),
      run: calling('POST', '/admin/frontend-models', { body }),
    },
  );

export const frontendModelUpdate = (one: FrontendModel, body: Partial<FrontendModelBody>): Save =>
  changeOf(
    { noun, name: one.name },
    {
      before: shownFrontendModel(one),
      after: body,
      run: calling('PATCH', '/admin/frontend-models/{id}', { ...seen(one), body }),
    },
  );

export const frontendModelDeletion = (one: FrontendModel): Save =>
  deletionOf(
    { noun, name: one.name },
    { run: calling('DELETE', '/admin/frontend-models/{id}', seen(one)) },
  );

const shownPool = ({ members, ...body }: Partial<PoolBody>) => ({
  ...body,
  ...(members === undefined ? {} : { members: membersText(members) }),
});

const poolPlace = (answered: unknown): readonly (string | number)[] => [
  'pools',
  ...theMade(answered),
];

export const poolCreation = (body: PoolBody): Save =>
  additionOf(
    { noun: 'pool', name: body.name },
    {
      after: shownPool(body),
      opens: poolPlace,
      run: calling('POST', '/admin/model-pools', { body }),
    },
  );

export const poolUpdate = (pool: Pool, body: Partial<PoolBody>): Save =>
  changeOf(
    { noun: 'pool', name: pool.name },
    {
      heading: `Edit pool ${pool.name}`,
      before: { ...pool, members: membersText(pool.members) },
      after: shownPool(body),
      opens: () => ['pools', pool.id],
      run: calling('PATCH', '/admin/model-pools/{id}', { ...seen(pool), body }),
    },
  );

export const poolDeletion = (pool: Pool): Save =>
  deletionOf(
    { noun: 'pool', name: pool.name },
    { opens: () => ['pools'], run: calling('DELETE', '/admin/model-pools/{id}', seen(pool)) },
  );

type Named = Readonly<{ id: number; name: string }>;

/** Null clears the fallback. */
export const fallbackSave = (before: Named | null, after: Named | null): Save => ({
  heading: after === null ? 'Clear global fallback model' : 'Set global fallback model',
  verb: after === null ? 'Clear fallback' : 'Save fallback',
  done:
    after === null ? 'Global fallback model cleared' : `Global fallback model set to ${after.name}`,
  before: { fallback_model: before?.name ?? null },
  after: { fallback_model: after?.name ?? null },
  opens: theList,
  run: calling('PUT', '/admin/fallback-model', { body: { model_id: after?.id ?? null } }),
});
