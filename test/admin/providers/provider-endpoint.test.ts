// Tests the rules for endpoints, and which addresses are equal.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, testAdministrator } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

describe('the auth of a vendor protocol', () => {
  it('is filled in, may be sent unchanged, and is refused with any other value', async (t) => {
    const { send } = await testAdministrator(t);
    const cases = [
      [{ protocol: 'anthropic', auth_header: 'x-foo' }, 'auth_header'],
      [{ protocol: 'gemini', auth_scheme: 'Bearer' }, 'auth_scheme'],
    ] as const;
    for (const [given, param] of cases) {
      const body = { api_base: 'http://127.0.0.1:1', ...given };
      const refused = await send('POST', '/admin/providers', body);
      assert.deepEqual(errorOf(refused), [400, 'invalid', param]);
      assert.match(JSON.stringify(refused.body), new RegExp(`protocol ${given.protocol}`));
    }
    const automatic = { protocol: 'anthropic', auth_header: 'X-API-Key', auth_scheme: null };
    const dialled = await send('POST', '/admin/providers', {
      api_base: 'http://127.0.0.1:1',
      ...automatic,
    });
    assert.deepEqual(errorOf(dialled), [400, 'invalid', 'api_base']);
  });
});

it('an address with repeated slashes is the address without them', async (t) => {
  const { send } = await testAdministrator(t);
  const { apiBase } = await listedProvider(t);
  await send('POST', '/admin/providers', { name: 'a', api_base: apiBase });
  const twin = { name: 'b', api_base: apiBase.replace('/v1', '//v1') };
  assert.deepEqual(errorOf(await send('POST', '/admin/providers', twin)), [
    409,
    'conflict',
    'api_base',
  ]);
});
