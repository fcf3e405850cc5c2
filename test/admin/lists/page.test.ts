// Tests that the pages of a list follow each other without gaps and contain the total.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';

const listed = ({ body }: TestAnswer): readonly unknown[] => {
  assert.ok(Array.isArray(body));
  return body;
};

const nextOf = ({ headers }: TestAnswer): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

const encode = (text: string): string => Buffer.from(text).toString('base64url');

describe('a list', () => {
  it('is read page by page, in its order, despite concurrent writes', async (t) => {
    const { send } = await testAdministrator(t);
    for (const name of ['ä/b', 'a&b?', 'c', 'b', 'd']) {
      await send('POST', '/admin/models', { name });
      await send('POST', '/admin/roles', { name });
    }
    for (const path of ['/admin/models', '/admin/provider-models', '/admin/roles']) {
      const whole = await send('GET', path);
      assert.equal(whole.headers.get('link'), null);
      assert.equal(whole.headers.get('x-total-count'), String(listed(whole).length));
      const walked: unknown[] = [];
      for (let next: string | undefined = `${path}?limit=2`; next !== undefined;) {
        const page: TestAnswer = await send('GET', next);
        assert.equal(page.headers.get('x-total-count'), String(listed(whole).length));
        walked.push(...listed(page));
        next = nextOf(page);
      }
      assert.deepEqual(walked, listed(whole), path);
    }
  });

  it('of every kind has a maximum page size, and a next page only if more rows follow', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', '/admin/keys', { name: 'k', principal_id: 1 });
    for (const path of ['/admin/principals', '/admin/keys', '/admin/roles', '/admin/providers']) {
      const whole = await send('GET', path);
      const { length } = listed(whole);
      assert.equal(nextOf(await send('GET', `${path}?limit=${Math.max(1, length)}`)), undefined);
      assert.equal(listed(await send('GET', `${path}?limit=1`)).length, Math.min(1, length));
    }
    assert.equal(nextOf(await send('GET', '/admin/principals?limit=1')) === undefined, false);
  });

  it('accepts only a cursor that it returned', async (t) => {
    const { send } = await testAdministrator(t);
    for (const [path, after] of [
      ['/admin/roles', 'x'],
      ['/admin/roles', encode('-1')],
      ['/admin/models', encode('a\0b')],
      ['/admin/models', 'zzz'],
      ['/admin/models', `${encode('ab')}=`],
    ] as const) {
      const answer = await send('GET', `${path}?after=${after}`);
      assert.deepEqual(errorOf(answer), [400, 'invalid', 'after'], path);
      assert.equal(typeof member(member(answer.body, 'error'), 'message'), 'string');
    }
  });
});
