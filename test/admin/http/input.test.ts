// Tests that input is parsed strictly. A refusal names the field and the value, unless the value
// may be secret.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { adminRoutes } from '../../../src/admin/routes.ts';
import { member, errorOf, testAdministrator } from '../../harness/admin/admin.ts';

const message = (body: unknown): unknown => member(member(body, 'error'), 'message');

describe('a time', () => {
  it('is converted to UTC with milliseconds', async (t) => {
    const { send } = await testAdministrator(t);
    const expires_at = '2031-01-01T02:30:00.123456789+23:30';
    const { body } = await send('POST', '/admin/keys', { name: 'k', principal_id: 1, expires_at });
    assert.equal(member(body, 'expires_at'), '2030-12-31T03:00:00.123Z');
  });

  it('that does not exist in the calendar is refused', async (t) => {
    const { send } = await testAdministrator(t);
    for (const time of [
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-15:59',
      '2026-02-30T00:00:00Z',
    ]) {
      const since = encodeURIComponent(time);
      const key = { name: 'k', principal_id: 1, expires_at: time };
      assert.deepEqual(errorOf(await send('POST', '/admin/keys', key)), [
        400,
        'invalid',
        'expires_at',
      ]);
      for (const path of [`/admin/audit?since=${since}`, `/admin/usage?since=${since}`]) {
        assert.deepEqual(errorOf(await send('GET', path)), [400, 'invalid', 'since']);
      }
    }
  });
});

describe('an empty description', () => {
  it('is accepted as none by every record that has one', async (t) => {
    const { send } = await testAdministrator(t);
    const url = 'http://127.0.0.1:1/';
    for (const [path, body] of [
      ['/admin/roles', { name: 'r' }],
      ['/admin/provider-models', { name: 'm' }],
      ['/admin/model-pools', { name: 'p' }],
      ['/admin/frontend-models', { name: 'f' }],
      ['/admin/prompt-classes', { name: 'c' }],
      ['/admin/mcp-servers', { name: 's', url, transport: 'http' }],
      ['/admin/a2a-agents', { name: 'a', url }],
    ] as const) {
      const created = await send('POST', path, { ...body, description: '' });
      const key = member(created.body, path === '/admin/roles' ? 'name' : 'id');
      const one = `${path}/${String(key)}`;
      assert.equal(member((await send('GET', one)).body, 'description'), null, path);
      await send('PATCH', one, { description: 'said' });
      assert.equal(member((await send('GET', one)).body, 'description'), 'said', path);
      await send('PATCH', one, { description: '' });
      assert.equal(member((await send('GET', one)).body, 'description'), null, path);
    }
    const blank = await send('POST', '/admin/roles', { name: 'b', description: ' ' });
    assert.deepEqual(errorOf(blank), [400, 'invalid', 'description']);
  });
});

describe('a number in a body', () => {
  it('has an upper bound, which the description of the API says', () => {
    const ofOthers = /^(?:id|version|base|change_request|principals|jump_to|\w+_id)$/;
    const unbounded = adminRoutes.flatMap(({ path, permission, body }) =>
      permission === 'proxy_token' ? [] : unboundedIn(jsonSchemaOf(body), path),
    );
    assert.deepEqual(
      unbounded.filter((field) => !ofOthers.test(field.split(' ').at(-1) ?? '')),
      [],
    );
  });
});

const jsonSchemaOf = (body: z.ZodType): unknown =>
  z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });

/** Number fields without a maximum, as `<path> <name>`. */
function unboundedIn(schema: unknown, path: string, name = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maximum } = { type: null, maximum: Infinity, ...schema };
  const isNumber = type === 'integer' || type === 'number';
  const own = isNumber && maximum >= Number.MAX_SAFE_INTEGER ? [`${path} ${name}`] : [];
  const parts = Object.entries(schema).flatMap(([key, part]) =>
    key === 'properties'
      ? Object.entries(part ?? {}).flatMap(([field, of]) => unboundedIn(of, path, field))
      : unboundedIn(part, path, name),
  );
  return [...own, ...parts];
}

describe('a number in a path or a query', () => {
  it('must be decimal digits only', async (t) => {
    const { send } = await testAdministrator(t);
    for (const text of [
      '0x1',
      '1e0',
      '%201',
      '1.0',
      '-1',
      '+1',
      '0',
      '01',
      '99999999999999999999',
    ]) {
      const key = await send('DELETE', `/admin/keys/${text}`);
      assert.deepEqual(errorOf(key), [400, 'invalid', 'id'], text);
      const audit = await send('GET', `/admin/audit?limit=${text}`);
      assert.deepEqual(errorOf(audit), [400, 'invalid', 'limit'], text);
    }
  });
});

describe('a refusal', () => {
  it('names a missing field, and a misspelt field before the missing one', async (t) => {
    const { send } = await testAdministrator(t);
    const cases = [
      ['/admin/principals', {}, 'name: is required'],
      ['/admin/roles/operator/permissions', {}, 'verb: is required'],
      ['/admin/principals', { name: '' }, 'name: must not be empty'],
      ['/admin/principals', { nam: 'ada' }, 'nam is not a known field'],
    ] as const;
    for (const [path, input, said] of cases) {
      const { status, body } = await send('POST', path, input);
      assert.deepEqual([status, message(body)], [400, said]);
    }
  });

  it('says the value that was wrong', async (t) => {
    const { send } = await testAdministrator(t);
    const cases = [
      ['/admin/keys', { name: 'k', principal_id: 0 }, /^principal_id: .*, was 0$/],
      ['/admin/principals', { name: 'a', kind: 'robot' }, /^kind: .*, was "robot"$/],
      ['/admin/principals', { name: 'a', kind: null }, /^kind: .*, was null$/],
      ['/admin/keys', { name: 'k', principal_id: 1, expires_at: 'x' }, /^expires_at: .*, was "x"$/],
      [
        '/admin/provider-models',
        { name: 'm', context_length: 1.5 },
        /^context_length: .*, was 1.5$/,
      ],
      [
        '/admin/provider-models',
        { name: 'm', cache_ttl_seconds: 1e12 },
        /^cache_ttl_seconds: .*at most 31536000, was 1000000000000$/,
      ],
    ] as const;
    for (const [path, body, expected] of cases) {
      const answer = await send('POST', path, body);
      assert.equal(answer.status, 400);
      assert.match(String(message(answer.body)), expected);
    }
    const long = await send('GET', `/admin/usage?group_by=${'x'.repeat(5000)}`);
    assert.ok(String(message(long.body)).length < 300);
  });

  it('is short, even if the name of a field is long', async (t) => {
    const { send } = await testAdministrator(t);
    const key = 'k'.repeat(100_000);
    for (const body of [
      { name: 'a', [key]: 1 },
      { name: 'a', [key]: '\u0000' },
      `{"name":"a","${key}":1,"${key}":2}`,
    ]) {
      const answer = await send('POST', '/admin/roles', body);
      assert.deepEqual(errorOf(answer), [400, 'invalid', `${'k'.repeat(100)}…`]);
      assert.ok(JSON.stringify(answer.body).length < 1000);
    }
  });

  it('repeats no secret, in any field and of any type', async (t) => {
    const { send, warnings } = await testAdministrator(t);
    const canary = 'sk-canary-credential';
    const answers = await Promise.all([
      send('POST', '/admin/providers', { api_base: 7, upstream_api_key: canary }),
      send('POST', '/admin/providers', { upstream_api_key: `${canary}\n` }),
      send('POST', '/admin/providers', { auth_header: `Bearer ${canary}` }),
      send('POST', '/admin/providers', { auth_scheme: `Bearer ${canary}` }),
      send('PUT', '/admin/principals/1/password', { password: 12_345_678 }),
      send('POST', '/login', { name: canary, password: 12_345_678 }),
      send('POST', '/login', { name: 7, password: canary }),
    ]);
    for (const { status, body } of answers) {
      assert.equal(status, 400);
      assert.doesNotMatch(JSON.stringify(body), /canary|12345678/);
    }
    assert.doesNotMatch(JSON.stringify(warnings), /canary|12345678/);
  });
});

describe('a reason', () => {
  it('is read as UTF-8', async (t) => {
    const { ask, cookie, plane, admin } = await testAdministrator(t);
    const reason = 'gewünscht von der Revision ✓';
    const header = Buffer.from(reason, 'utf8').toString('latin1');
    const body = { name: 'auditor' };
    const headers = { 'x-gw-reason': header };
    const answer = await ask({ method: 'POST', path: '/admin/roles', cookie, body, headers });
    assert.equal(answer.status, 200);
    const [row]: { reason_ref: string }[] = await plane.db.query(
      plane.db.sql`select reason_ref from audit_log where reason_ref is not null`,
    );
    const kept = await admin.needs.history.vault.reveal(plane.db, [row?.reason_ref ?? '']);
    assert.deepEqual([...kept.values()], [reason]);
  });

  it('that is too long is refused, not cut', async (t) => {
    const { ask, cookie } = await testAdministrator(t);
    const headers = { 'x-gw-reason': 'x'.repeat(1001) };
    const request = { method: 'POST', path: '/admin/roles', cookie, body: { name: 'a' }, headers };
    assert.deepEqual(errorOf(await ask(request)), [400, 'invalid', 'x-gw-reason']);
  });
});

describe('a name', () => {
  it('must not contain invisible or bidirectional control characters', async (t) => {
    const { send } = await testAdministrator(t);
    const cases = [
      'admin\u200b',
      'admin\u200d',
      '\u2060admin',
      'ad\u00admin',
      '\u202enimda',
      'a\u2066b',
      'a\u200fb',
      '\u3164',
      'admin\u{e0041}',
      'admin\ufe0f',
      'line\nbreak',
    ];
    for (const name of cases) {
      for (const path of ['/admin/principals', '/admin/roles', '/admin/models']) {
        const answer = await send('POST', path, { name });
        assert.deepEqual(errorOf(answer), [400, 'invalid', 'name'], JSON.stringify(name));
      }
    }
    const email = await send('POST', '/admin/principals', { name: 'a', email: '\u202ea@b.c' });
    assert.deepEqual(errorOf(email), [400, 'invalid', 'email']);
  });

  it('may be in any script, including joiners', async (t) => {
    const { send } = await testAdministrator(t);
    for (const name of ['Zoë', 'شركة‌ها', '語', 'क्‍ष', '❤️', '👩‍💻', 'a b']) {
      assert.equal((await send('POST', '/admin/roles', { name })).status, 200, name);
    }
  });

  it('must be in normal form C', async (t) => {
    const { send } = await testAdministrator(t);
    assert.equal((await send('POST', '/admin/principals', { name: 'Zo\u00eb' })).status, 200);
    for (const [path, body, param] of [
      ['/admin/principals', { name: 'Zoe\u0308' }, 'name'],
      [
        '/admin/roles/inference/permissions',
        { verb: 'model:invoke', resource: 'model/e\u0308' },
        'resource',
      ],
    ] as const) {
      assert.deepEqual(errorOf(await send('POST', path, body)), [400, 'invalid', param]);
    }
  });

  it('of a role must fit into a path', async (t) => {
    const { send } = await testAdministrator(t);
    for (const name of ['.', '..']) {
      const made = await send('POST', '/admin/roles', { name });
      assert.deepEqual(errorOf(made), [400, 'invalid', 'name']);
      const renamed = await send('PATCH', '/admin/roles/operator', { name });
      assert.deepEqual(errorOf(renamed), [400, 'invalid', 'name']);
    }
  });

  it('of a model is not a pattern of grants', async (t) => {
    const { send } = await testAdministrator(t);
    const made = await send('POST', '/admin/models', { name: '*' });
    assert.deepEqual(errorOf(made), [400, 'invalid', 'name']);
    const { body } = await send('POST', '/admin/models', { name: 'm' });
    const renamed = await send('PATCH', `/admin/models/${String(member(body, 'id'))}`, {
      name: 'm*',
    });
    assert.deepEqual(errorOf(renamed), [400, 'invalid', 'name']);
  });

  it('in a grant holds no control characters', async (t) => {
    const { send } = await testAdministrator(t);
    const grant = { verb: 'model:invoke', resource: 'model/a\nb' };
    const answer = await send('POST', '/admin/roles/inference/permissions', grant);
    assert.deepEqual(errorOf(answer), [400, 'invalid', 'resource']);
  });
});
