// Only listed headers cross the gateway, whatever their case, order or number.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import {
  answerHeaders,
  appendAnswerHeaders,
  forwardedNames,
  forwardedPrefix,
  readRequestHead,
} from '../../../src/gateway/transport/header-policy.ts';

const allowed = [
  'Accept',
  'content-type',
  'User-Agent',
  'openai-beta',
  'OpenAI-Project',
  'HTTP-Referer',
  'X-Title',
];
const refused = [
  'Authorization',
  'cookie',
  'X-Api-Key',
  'Transfer-Encoding',
  'TE',
  'X-Any',
  'X-Gw-Route',
  'X-Forwarded-For',
  'Host',
];

const twice = (name: string) => readRequestHead([name, 'a', name.toUpperCase(), 'b']).duplicate;

describe('request headers', () => {
  it('are forwarded when listed, in lower case, and dropped otherwise', () => {
    const names = fc.uniqueArray(fc.constantFrom(...allowed, ...refused));
    fc.assert(
      fc.property(names, (given) => {
        const { forwarded, duplicate } = readRequestHead(given.flatMap((name) => [name, 'v']));
        const expected = given.filter((name) => allowed.includes(name));
        assert.deepEqual(
          forwarded,
          expected.flatMap((name) => [name.toLowerCase(), 'v']),
        );
        assert.equal(duplicate, null);
      }),
    );
  });

  it('are dropped when Connection nominates them', () => {
    const head = ['Connection', 'keep-alive, Accept', 'accept', 'a', 'user-agent', 'b'];
    assert.deepEqual(readRequestHead(head).forwarded, ['user-agent', 'b']);
  });

  it('that readers differ on when they come twice are told', () => {
    for (const name of ['host', 'authorization', 'content-type', 'x-api-key']) {
      assert.equal(twice(name), name);
    }
    assert.equal(twice('accept'), null);
  });
});

it('the page for clients names every header that crosses the gateway', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../docs/clients.md'), 'utf8');
  for (const name of [...forwardedNames, `${forwardedPrefix}*`, ...answerHeaders]) {
    assert.ok(page.includes(`\`${name}\``), name);
  }
});

describe('answer headers', () => {
  it('are passed on, but for a value that no field may hold', () => {
    const target = ['x-request-id', 'r'];
    appendAnswerHeaders(target, ['content-type', 'text/plain', 'retry-after', '\u00e9']);
    assert.deepEqual(target, ['x-request-id', 'r', 'content-type', 'text/plain']);
  });
});
