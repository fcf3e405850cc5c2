// Starts a control plane with two administrators and a model, to draft with one and approve with
// the other.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { member, testAdministrator } from './admin.ts';
import type { TestAnswer } from './admin.ts';

export type Person = (method: string, path: string, body?: unknown) => Promise<TestAnswer>;

export const path = '/admin/change-requests';

export const renameModel = (name: string) => ({
  method: 'PATCH',
  path: '/admin/provider-models/1',
  body: { name },
});

/** Creates model 1 with the name `a`. */
export async function fourEyes(
  test: Pick<TestContext, 'after'>,
  options?: Parameters<typeof testAdministrator>[1],
) {
  const admin = await testAdministrator(test, options);
  const { ask, login, plane, cookie, send: boss } = admin;
  const adaCookie = await login('ada', ['admin']);
  const ada: Person = (method, at, body) => ask({ method, path: at, cookie: adaCookie, body });
  const [bossId = 0, adaId = 0] = [...plane.store.state().principal.byId.keys()].slice(-2);
  assert.equal((await boss('POST', '/admin/provider-models', { name: 'a' })).status, 200);

  const draft = async (by: Person, calls: readonly unknown[], title = 'a change') => {
    const answer = await by('POST', path, { title, calls, reason: 'CHG-1' });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return Number(member(answer.body, 'id'));
  };
  /** The digest and outcome that an approval must name. */
  const seen = async (by: Person, id: number) => {
    const { body } = await by('GET', `${path}/${id}`);
    return { digest: member(body, 'digest'), outcome: member(body, 'outcome') };
  };
  const approve = async (by: Person, id: number): Promise<TestAnswer> =>
    by('POST', `${path}/${id}/approve`, await seen(by, id));
  const cookies = { boss: cookie, ada: adaCookie };
  const ids = { boss: bossId, ada: adaId };
  return { ...admin, ada, boss, draft, seen, approve, cookies, ids };
}
