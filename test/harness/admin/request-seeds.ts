// Seeds change requests in every state that a route requires. Their author is not the principal
// that calls the routes.

import assert from 'node:assert/strict';

import { member } from './admin.ts';
import type { testAdministrator, TestAnswer } from './admin.ts';

type Admin = Awaited<ReturnType<typeof testAdministrator>>;
type Sending = (method: string, path: string, body?: unknown) => Promise<TestAnswer>;

const path = '/admin/change-requests';

const idOf = ({ status, body }: TestAnswer): string => {
  assert.equal(status, 200, JSON.stringify(body));
  return String(member(body, 'id'));
};

export function requestSeeds(admin: Admin, { unique }: Readonly<{ unique: () => string }>) {
  const { ask, login, send } = admin;
  const author = lazily(() => login('author', ['admin']));
  const asAuthor: Sending = async (method, path, body) =>
    ask({ method, path, body, cookie: await author() });
  const draft = async (by: Sending): Promise<string> => {
    const calls = [{ method: 'POST', path: '/admin/provider-models', body: { name: unique() } }];
    return idOf(await by('POST', path, { title: unique(), calls, reason: 'seed' }));
  };
  return {
    changeRequest: () => draft(asAuthor),
    ownChangeRequest: () => draft(send),
    approvedChangeRequest: async (): Promise<string> => {
      const id = await draft(asAuthor);
      const { body } = await send('GET', `${path}/${id}`);
      const seen = { digest: member(body, 'digest'), outcome: member(body, 'outcome') };
      return idOf(await send('POST', `${path}/${id}/approve`, seen));
    },
    unapprovedChange: async (): Promise<string> => {
      const cookie = await author();
      const policy = { method: 'PUT', path: '/admin/change-policy', cookie };
      assert.equal((await ask({ ...policy, body: { kinds: ['keys'] } })).status, 200);
      const headers = { 'x-gw-break-glass': 'the policy ends' };
      const ended = await ask({ ...policy, body: { kinds: [] }, headers });
      assert.equal(ended.status, 200, JSON.stringify(ended.body));
      return ended.headers.get('x-gw-review-due') ?? '';
    },
  };
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => (made ??= make());
}
