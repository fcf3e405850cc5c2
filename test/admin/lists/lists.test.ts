// Tests that filters, search and sorting apply to the whole list before paging, in the past and the
// present.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { listFields } from '../../../src/admin/lists/list-fields.ts';
import { adminRoutes } from '../../../src/admin/routes.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';

const listed = ({ status, body }: TestAnswer): readonly unknown[] => {
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(Array.isArray(body));
  return body;
};

const namesIn = (answer: TestAnswer): readonly unknown[] =>
  listed(answer).map((record) => member(record, 'name'));

const messageOf = ({ body }: TestAnswer): string =>
  String(member(member(body, 'error'), 'message'));

const nextOf = ({ headers }: TestAnswer): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** Models a to e, of which c and e have a price. */
async function withModels(t: TestContext) {
  const started = await testAdministrator(t);
  for (const name of ['d', 'a', 'e', 'c', 'b']) {
    const price = name === 'c' ? 20 : name === 'e' ? 10 : null;
    const body = { name, description: `Model ${name.toUpperCase()}`, input_price_per_mtok: price };
    await started.send('POST', '/admin/models', body);
  }
  return started;
}

describe('a filter', () => {
  it('finds a record by its name, also a person whose name is in the vault', async (t) => {
    const { send } = await testAdministrator(t);
    for (const kind of ['user', 'service_account']) {
      await send('POST', '/admin/principals', { name: `demo ${kind}`, kind });
    }
    for (const name of ['demo user', 'demo service_account']) {
      const found = await send('GET', `/admin/principals?name=${encodeURIComponent(name)}`);
      assert.deepEqual(namesIn(found), [name]);
      assert.equal(found.headers.get('x-total-count'), '1');
    }
    assert.deepEqual(namesIn(await send('GET', '/admin/principals?name=nobody')), []);
  });

  it('narrows by a choice, a number, a boolean, a missing value and a member of a list', async (t) => {
    const { send } = await withModels(t);
    await send('POST', '/admin/mcp-servers', {
      name: 'off',
      url: 'http://127.0.0.1:9',
      enabled: false,
    });
    await send('POST', '/admin/mcp-servers', { name: 'on', url: 'http://127.0.0.1:9' });
    await send('POST', '/admin/prompt-classes', { name: 'quick' });
    await send('POST', '/admin/keys', { name: 'k', principal_id: 1 });
    const cases = [
      ['/admin/prompt-classes?tier=fast', ['quick']],
      ['/admin/principals?roles=admin&name=boss', ['boss']],
      ['/admin/principals?roles=inference&name=boss', []],
      ['/admin/models?input_price_per_mtok=20', ['c']],
      ['/admin/models?input_price_per_mtok=null', ['a', 'b', 'd']],
      ['/admin/mcp-servers?enabled=false', ['off']],
      ['/admin/mcp-servers?enabled=true', ['on']],
      ['/admin/keys?principal_id=1', ['k']],
      ['/admin/keys?principal_id=2', []],
    ] as const;
    for (const [path, names] of cases) {
      const found = namesIn(await send('GET', path));
      assert.deepEqual(found, names, path);
    }
  });

  it('that the list does not know is refused, and the refusal names those that it knows', async (t) => {
    const { send } = await testAdministrator(t);
    const answer = await send('GET', '/admin/roles?nme=admin');
    assert.deepEqual(errorOf(answer), [400, 'invalid', 'nme']);
    assert.match(messageOf(answer), /known: after, as_of, description, id, limit, name, q, sort/);
  });

  it('takes only values that the field can have', async (t) => {
    const { send } = await testAdministrator(t);
    for (const [path, param] of [
      ['/admin/principals?kind=robot', 'kind'],
      ['/admin/mcp-servers?enabled=1', 'enabled'],
      ['/admin/keys?principal_id=one', 'principal_id'],
      ['/admin/models?sort=backends', 'sort'],
      ['/admin/models?q=', 'q'],
    ] as const) {
      assert.deepEqual(errorOf(await send('GET', path)), [400, 'invalid', param], path);
    }
  });
});

describe('a search', () => {
  it('finds a part of any text of the record, in upper or lower case', async (t) => {
    const { send } = await withModels(t);
    assert.deepEqual(namesIn(await send('GET', '/admin/models?q=mODEL%20b')), ['b']);
    assert.deepEqual(namesIn(await send('GET', '/admin/models?q=model')), [
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
    assert.deepEqual(namesIn(await send('GET', '/admin/models?q=model&input_price_per_mtok=10')), [
      'e',
    ]);
  });
});

describe('a sort', () => {
  it('orders the whole list both ways, with missing values last', async (t) => {
    const { send } = await withModels(t);
    const sorted = async (sort: string) => namesIn(await send('GET', `/admin/models?sort=${sort}`));
    assert.deepEqual(await sorted('-name'), ['e', 'd', 'c', 'b', 'a']);
    assert.deepEqual(await sorted('input_price_per_mtok'), ['e', 'c', 'a', 'b', 'd']);
    assert.deepEqual(await sorted('-input_price_per_mtok'), ['c', 'e', 'a', 'b', 'd']);
    assert.deepEqual(await sorted('id'), ['d', 'a', 'e', 'c', 'b']);
  });

  it('is walked page by page without a gap, with its filter, although rows come and go', async (t) => {
    const { send } = await withModels(t);
    const walked: unknown[] = [];
    const first = '/admin/models?sort=-input_price_per_mtok&q=model&limit=2';
    for (let next: string | undefined = first; next !== undefined;) {
      const page: TestAnswer = await send('GET', next);
      walked.push(...namesIn(page));
      next = nextOf(page);
      // Neither sorts after the cursor.
      if (walked.length === 2)
        await send('POST', '/admin/models', { name: '0', description: 'other' });
    }
    assert.deepEqual(walked, ['c', 'e', 'a', 'b', 'd']);
  });

  it('accepts only a cursor that this sort returned', async (t) => {
    const { send } = await withModels(t);
    const plain = await send('GET', '/admin/models?limit=1');
    const after = /after=([^&>]+)/.exec(plain.headers.get('link') ?? '')?.[1];
    const mixed = await send('GET', `/admin/models?sort=name&limit=1&after=${after}`);
    assert.deepEqual(errorOf(mixed), [400, 'invalid', 'after']);
  });
});

it('a filter and a sort apply to a past configuration', async (t) => {
  const { send } = await withModels(t);
  const { headers } = await send('GET', '/admin/models?as_of=2099-01-01T00:00:00Z');
  const position = headers.get('x-gw-log-position');
  assert.ok(position !== null);
  await send('PATCH', '/admin/models/1', { description: 'renamed' });
  const then = await send('GET', `/admin/models?q=model&sort=-name&limit=2&as_of=${position}`);
  assert.deepEqual(namesIn(then), ['e', 'd']);
  const next = nextOf(then);
  assert.ok(next !== undefined && next.includes(`as_of=${position}`));
  assert.deepEqual(namesIn(await send('GET', next)), ['c', 'b']);
  assert.deepEqual(namesIn(await send('GET', '/admin/models?q=model&sort=-name&limit=2')), [
    'e',
    'c',
  ]);
});

it('every list of records that has pages takes filters, a search and a sort', () => {
  const lists = adminRoutes.filter(
    ({ method, query }) =>
      method === 'GET' &&
      query instanceof z.ZodObject &&
      'as_of' in query.shape &&
      'after' in query.shape,
  );
  assert.ok(lists.length > 10);
  for (const { path, query, response } of lists) {
    if (path.startsWith('/admin/access')) continue;
    assert.ok(query instanceof z.ZodObject && response instanceof z.ZodArray, path);
    assert.ok('q' in query.shape && 'sort' in query.shape, path);
    assert.ok(response.element instanceof z.ZodObject);
    assert.ok(listFields(response.element).size > 1, path);
  }
});
