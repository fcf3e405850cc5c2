// Tests that the Content-Type decides how a body is parsed, and that ambiguous values are refused.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formatOf } from '../../../src/gateway/body/content-type.ts';
import { proxiedRoutes, routeAt } from '../../../src/gateway/routes.ts';
import type { ProxiedRoute } from '../../../src/gateway/routes.ts';

function route(path: string): ProxiedRoute {
  const found = routeAt(path);
  assert.ok(found !== undefined);
  return found;
}

const chat = route('/v1/chat/completions');
const upload = route('/v1/audio/transcriptions');

/** JSON, a boundary, or the reason of a refusal. */
function read(contentType: string | undefined, at: ProxiedRoute): string {
  const format = formatOf(contentType, at);
  if (format.kind === 'form') return `boundary ${format.boundary}`;
  return format.kind === 'json' ? 'json' : format.reason;
}

const unsupported = 'unsupported_media_type';
const malformed = 'malformed_request';

describe('the body of a route', () => {
  it('is JSON on routes without uploads, whatever its type', () => {
    const jsons = [
      undefined,
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json;charset="utf-8"',
      'application/json;',
      'application/vnd.api+json',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
    ];
    for (const type of jsons) assert.equal(read(type, chat), 'json', type);
  });

  it('is not a form on routes without uploads', () => {
    assert.equal(read('multipart/form-data; boundary=x', chat), unsupported);
  });

  it('is a form or JSON, and called so, where files are uploaded', () => {
    assert.equal(read('multipart/form-data; boundary=x', upload), 'boundary x');
    assert.equal(read('application/json', upload), 'json');
    assert.equal(read(undefined, upload), 'json');
    const others = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
    ];
    for (const type of others) assert.equal(read(type, upload), unsupported, type);
  });

  it('has only charsets in which no other text can hide', () => {
    for (const charset of ['utf-7', 'utf-16', 'cp037', 'iso-2022-jp', '']) {
      assert.equal(read(`application/json; charset="${charset}"`, chat), unsupported, charset);
    }
    assert.equal(read('application/json; charset=iso-8859-1', chat), 'json');
  });

  it('has one type with each parameter once', () => {
    const broken = [
      '',
      'json',
      '/json',
      'application/json charset=utf-8',
      'application/json, text/plain',
      'application/json; charset=utf-8; charset=utf-7',
      'application/json; charset=utf-8; Charset=utf-8',
      "application/json; charset*=utf-8''utf-7",
      'application/json; charset="utf-8',
      'application/json; charset="utf\\-8"',
      'application/json; charset = utf-8',
    ];
    for (const type of broken) assert.equal(read(type, chat), malformed, type);
  });
});

describe('the boundary of a form', () => {
  it('may be quoted', () => {
    const boundary = "aZ09'()+_,-./:=? x";
    const type = `Multipart/Form-Data ; Boundary="${boundary}" ; charset=utf-8`;
    assert.equal(read(type, upload), `boundary ${boundary}`);
    assert.equal(read('multipart/form-data; boundary="x"', upload), 'boundary x');
  });

  it('has 1 to 70 characters of those allowed, and is given once', () => {
    const longest = 'b'.repeat(70);
    assert.equal(read(`multipart/form-data; boundary=${longest}`, upload), `boundary ${longest}`);
    const broken = [
      '',
      '; boundary=',
      '; boundary=""',
      '; boundary="x "',
      `; boundary=${longest}b`,
      '; boundary="a\\"b"',
      '; boundary="a;b"',
      '; boundary=a/b',
      '; boundary=é',
      '; boundary=----',
      '; boundary=x; boundary=x',
      '; boundary=x; boundary*0=y',
    ];
    for (const rest of broken) assert.equal(read(`multipart/form-data${rest}`, upload), malformed);
  });
});

describe('the proxied routes', () => {
  it('are twelve, each with and without the prefix', () => {
    assert.equal(proxiedRoutes.length, 12);
    for (const one of proxiedRoutes) {
      assert.equal(routeAt(one.path), one);
      assert.equal(routeAt(`/v1${one.path}`), one);
    }
  });

  it('are found only by their exact path', () => {
    const others = [
      '/v1/batches',
      '/v1/files',
      '/v1/fine_tuning/jobs',
      '/v1/chat/completions/',
      '/v1/chat',
      '/V1/chat/completions',
      '/v1//chat/completions',
      '/v1/chat%2Fcompletions',
      '/v1/v1/chat/completions',
      '/v2/embeddings',
      '',
    ];
    for (const path of others) assert.equal(routeAt(path), undefined, path);
  });
});
