// Tests the common format of all errors, including those of the HTTP framework, and the headers of
// every response.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { readJsonBody } from '../../../src/admin/http/json-body.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { errorOf, proxyToken, testAdmin } from '../../harness/admin/admin.ts';
import { until } from '../../harness/wait.ts';

describe('what the framework refuses', () => {
  it('has the common format of errors', async (t) => {
    const { ask, login } = await testAdmin(t);
    const cookie = await login('boss', ['admin']);
    const post = { method: 'POST', path: '/admin/roles', cookie };
    const cases = [
      [{ path: '/no/such/path' }, [404, 'absent', null]],
      [{ path: '/admin/no-such-path', cookie }, [404, 'absent', null]],
      [{ path: '/openapixjson' }, [404, 'absent', null]],
      [{ path: `/admin/frontend-models/${'7'.repeat(501)}`, cookie }, [400, 'invalid', null]],
      [{ method: 'DELETE', path: '/admin/%6Bey%73' }, [405, 'method_not_allowed', null]],
      [{ path: '/admin/models/', cookie }, [404, 'absent', null]],
      [{ path: '/admin/%zz', cookie }, [400, 'invalid', null]],
      [{ method: 'DELETE', path: '/admin/keys/?a=b', cookie }, [404, 'absent', null]],
      [{ ...post, path: '/admin/roles/', body: { name: 'a' } }, [404, 'absent', null]],
      [{ ...post, body: '{"name":' }, [400, 'invalid', null]],
      [{ ...post, body: '"\\ud83d' }, [400, 'invalid', null]],
      [{ ...post, body: '{"__proto__":{}}' }, [400, 'invalid', '__proto__']],
      [{ ...post, body: '['.repeat(100) + ']'.repeat(100) }, [400, 'invalid', null]],
      [
        { ...post, body: '{}', headers: { 'content-type': 'text/plain' } },
        [415, 'unsupported_media', null],
      ],
      [
        { ...post, body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
        [415, 'unsupported_media', 'content-type'],
      ],
      [
        { ...post, body: '{}', headers: { 'content-type': 'application/json;charset="UTF-8"' } },
        [400, 'invalid', 'name'],
      ],
      [{ ...post, body: `{"name":"${'x'.repeat(1024 * 1024)}"}` }, [413, 'too_large', null]],
      [{ ...post, body: 7 }, [400, 'invalid', null]],
      [post, [400, 'invalid', null]],
      [{ ...post, body: {} }, [400, 'invalid', 'name']],
      [{ ...post, body: { name: 7 } }, [400, 'invalid', 'name']],
      [{ ...post, body: { name: 'a', colour: 'red' } }, [400, 'invalid', 'colour']],
      [{ ...post, body: { name: 'line\nbreak' } }, [400, 'invalid', 'name']],
      [{ ...post, body: { name: 'a\u0000b' } }, [400, 'invalid', 'name']],
      [{ ...post, body: { name: 'a', description: '\ud83d' } }, [400, 'invalid', 'description']],
      [{ path: '/admin/audit?target=%00', cookie }, [400, 'invalid', 'target']],
      [{ path: '/admin/usage?group_by=colour', cookie }, [400, 'invalid', 'group_by']],
      [{ path: '/admin/usage?groupby=model', cookie }, [400, 'invalid', 'groupby']],
      [{ path: '/admin/usage?limit=1&limit=2', cookie }, [400, 'invalid', 'limit']],
      [
        { method: 'PATCH', path: '/admin/providers/seven', cookie, body: {} },
        [400, 'invalid', 'id'],
      ],
      [{ method: 'POST', path: '/logout', body: { more: 1 } }, [400, 'invalid', 'more']],
    ] as const;
    for (const [request, expected] of cases) {
      assert.deepEqual(errorOf(await ask(request)), expected, JSON.stringify(request).slice(0, 90));
    }
  });

  it('says which methods a path has', async (t) => {
    const { ask } = await testAdmin(t);
    const answer = await ask({ method: 'PATCH', path: '/admin/principals' });
    assert.deepEqual(errorOf(answer), [405, 'method_not_allowed', null]);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST');
    const written = await ask({ method: 'PATCH', path: '/admin/prompt-classes/evaluate' });
    assert.deepEqual([written.status, written.headers.get('allow')], [405, 'POST']);
    assert.equal((await ask({ method: 'POST', path: '/admin/principals/7' })).status, 405);
  });

  it('covers bytes that are not a request, and headers that are too long', async (t) => {
    const { admin } = await testAdmin(t);
    const address = admin.server.server.address();
    assert.ok(address !== null && typeof address === 'object');
    const close = 'connection: close\r\n\r\n';
    const cases = [
      ['NONSENSE\r\n\r\n', /^HTTP\/1\.1 400 [\s\S]*"code":"invalid"/],
      [
        `GET / HTTP/1.1\r\na: ${'x'.repeat(20_000)}\r\n`,
        /^HTTP\/1\.1 431 [\s\S]*"code":"too_large"/,
      ],
      [
        `GET http://elsewhere.example/healthz HTTP/1.1\r\nhost: a\r\n${close}`,
        /^HTTP\/1\.1 400 [\s\S]*must be a path/,
      ],
      [`OPTIONS * HTTP/1.1\r\nhost: a\r\n${close}`, /^HTTP\/1\.1 400 [\s\S]*must be a path/],
      [`GET /healthz HTTP/1.1\r\n${close}`, /^HTTP\/1\.1 400 [\s\S]*"param":"host"/],
      [
        `GET /healthz HTTP/1.1\r\nhost: a\r\nHost: b\r\n${close}`,
        /^HTTP\/1\.1 400 [\s\S]*"param":"host"/,
      ],
      [
        `POST /logout HTTP/1.1\r\nhost: a\r\nexpect: more\r\n${close}`,
        /^HTTP\/1\.1 417 [\s\S]*"code":"expectation_failed"/,
      ],
      [
        'GET /healthz HTTP/2.0\r\nhost: a\r\n\r\n',
        /^HTTP\/1\.1 505 [\s\S]*"code":"unsupported_version"/,
      ],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 505 /],
      ['GET /healthz HTTP/1.2\r\nhost: a\r\n\r\n', /^HTTP\/1\.1 505 /],
      [
        'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n',
        /^HTTP\/1\.1 501 [\s\S]*"code":"unsupported_method"/,
      ],
    ] as const;
    for (const [bytes, expected] of cases) {
      const socket = connect(address.port, '127.0.0.1');
      socket.write(bytes);
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      assert.match(text, expected);
      const [, id] = /x-request-id: (\S+)/.exec(text) ?? [];
      assert.ok(id !== undefined && text.includes(`"request_id":"${id}"`));
      assert.match(text, /x-content-type-options: nosniff/);
    }
  });

  it('does not replace the response to the last request of a connection, whatever bytes follow', async (t) => {
    const { admin } = await testAdmin(t);
    const address = admin.server.server.address();
    assert.ok(address !== null && typeof address === 'object');
    const socket = connect(address.port, '127.0.0.1');
    const get = 'GET /healthz HTTP/1.1\r\nhost: a\r\n';
    socket.write(`${get}connection: close\r\n\r\n${get}\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
  });

  it('ends the connection of a client that keeps its own half open', async (t) => {
    const { admin } = await testAdmin(t);
    const { server } = admin.server;
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const isAlone = async () => (await promisify(server.getConnections.bind(server))()) === 0;
    const head = 'HTTP/1.1\r\nhost: a\r\n';
    for (const text of [`POST /logout ${head}expect: more\r\n\r\n`, `CONNECT a:1 ${head}\r\n`]) {
      const socket = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.resume().write(text);
      await once(socket, 'end');
      await until(isAlone, { what: 'the connection to be closed' });
      socket.destroy();
    }
  });

  it('shows only the request id of an internal error', async (t) => {
    const { ask, plane, warnings, login } = await testAdmin(t);
    const cookie = await login('boss', ['admin']);
    await plane.db.query(plane.db.sql`alter table op.usage_events rename to gone`);
    const answer = await ask({ path: '/admin/usage', cookie });
    assert.deepEqual(errorOf(answer), [500, 'internal', null]);
    assert.doesNotMatch(JSON.stringify(answer.body), /usage_events/);
    assert.match(warnings.join(), /fault: .*usage_events/);
  });
});

describe('every answer', () => {
  it('repeats a request id that is safe in a log, and creates one otherwise', async (t) => {
    const { ask } = await testAdmin(t);
    const given = await ask({ path: '/healthz', headers: { 'x-request-id': 'run-7:a' } });
    assert.equal(given.headers.get('x-request-id'), 'run-7:a');
    const unfit = await ask({ path: '/healthz', headers: { 'x-request-id': 'a b{}' } });
    assert.match(unfit.headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/);
  });

  it('forbids caching, framing and guessing, also when it is an error', async (t) => {
    const { ask } = await testAdmin(t);
    for (const path of ['/healthz', '/nowhere']) {
      const { headers } = await ask({ path });
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    }
  });

  it('comes with a warning at the start when the listener has no TLS', async (t) => {
    const { warnings } = await testAdmin(t);
    assert.match(warnings.join(), /plain HTTP/);
  });
});

describe('a request from another site', () => {
  const cases = [
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 401],
    [{ 'sec-fetch-site': 'none' }, 401],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{}, 401],
  ] as const;

  it('is refused before anything else when it would change something', async (t) => {
    const { ask } = await testAdmin(t);
    for (const [headers, status] of cases) {
      const request = { method: 'POST', path: '/admin/roles', headers };
      assert.equal((await ask(request)).status, status, JSON.stringify(headers));
    }
    const login = { method: 'POST', path: '/login', headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await ask(login)).status, 403);
  });

  it('is accepted from the same origin, and from a machine with any origin', async (t) => {
    const { ask, url } = await testAdmin(t);
    const own = await ask({ method: 'POST', path: '/logout', headers: { origin: url } });
    assert.equal(own.status, 200);
    const machine = await ask({
      method: 'POST',
      path: '/usage',
      token: proxyToken,
      headers: { 'sec-fetch-site': 'cross-site' },
      body: { replica: 'r', events: [] },
    });
    assert.equal(machine.status, 200);
  });
});

describe('a JSON body', () => {
  it('may be announced and absent', () => {
    assert.deepEqual(readJsonBody(Buffer.from('  ')), { value: undefined });
  });

  it('does not count brackets in strings as depth', () => {
    const text = JSON.stringify({ text: '[{"\\'.repeat(200) });
    assert.ok(!isRefusal(readJsonBody(Buffer.from(text))));
  });

  it('that names one field twice is refused, however the name is written', () => {
    const cases = [
      ['{"a":1,"a":2}', 'a'],
      ['{"a":1,"\\u0061":2}', 'a'],
      ['{"x":{"b":[{"a":1,"c":2,"a" : 3}]}}', 'a'],
      ['{"":1,"":2}', ''],
      [String.raw`{"a\\":1,"a\\":2}`, 'a\\'],
      [`{"${'k'.repeat(5000)}":1,"${'k'.repeat(5000)}":2}`, `${'k'.repeat(100)}…`],
    ] as const;
    for (const [text, param] of cases) {
      const read = readJsonBody(Buffer.from(text));
      assert.ok(isRefusal(read), text.slice(0, 100));
      assert.deepEqual([read.refused, read.param], ['invalid', param]);
    }
  });

  it('may use a name again elsewhere, and as a value', () => {
    for (const text of [
      '{"a":"a","b":{"a":1},"c":[{"a":1},{"a":1}],"d":["a","a"],"A":1}',
      String.raw`{"a":"\",\"a\":","b":"\\"}`,
    ]) {
      assert.deepEqual(readJsonBody(Buffer.from(text)), { value: JSON.parse(text) });
    }
  });

  it('that is not UTF-8 is refused, not repaired', () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"a'), Buffer.of(0xff), Buffer.from('"}')]);
    const read = readJsonBody(bytes);
    assert.ok(isRefusal(read));
    assert.equal(read.message, 'body: must be UTF-8');
  });
});
