// Tests dialling a provider for its model list (Provider creation rules 1 and 2).

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { noCloudTokens } from '../../../src/control/providers/cloud-token.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { createDial, modelsUrl } from '../../../src/control/providers/verify-provider.ts';
import type { DialTarget } from '../../../src/control/providers/verify-provider.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

const egress = createEgress({ allow: [], deny: [] });
const { dispatcher } = egress;
const dial = createDial({ dispatcher, accessToken: noCloudTokens.accessToken });

let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
const server = createServer((request, response) => answer(request, response));
let apiBase = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  apiBase = `http://127.0.0.1:${address.port}/v1`;
});

after(async () => {
  await egress.dispatcher.close();
  server.close();
});

const target = (change: Partial<DialTarget['endpoint']> = {}): DialTarget => ({
  endpoint: {
    api_base: apiBase,
    protocol: 'openai',
    auth_header: 'authorization',
    auth_scheme: 'Bearer',
    ...change,
  },
  credential: { kind: 'static', plaintext: 'upstream-secret' },
  modelsPath: null,
});

const replyWith = (status: number, body: string, headers: Record<string, string> = {}): void => {
  answer = (_request, response) => response.writeHead(status, headers).end(body);
};

async function refusalOf(dialled: DialTarget) {
  const refusal = await dial(dialled);
  assert.ok(isRefusal(refusal));
  assert.equal(refusal.refused, 'upstream');
  return refusal;
}

describe('a dial', () => {
  it('returns the models and their context windows, and sends the credential with the scheme', async () => {
    const seen: unknown[] = [];
    answer = ({ url, headers }, response) => {
      seen.push(url, headers.authorization);
      response.end(
        JSON.stringify({ data: [{ id: 'small', max_model_len: 4096 }, { id: 'large' }] }),
      );
    };
    assert.deepEqual(await dial(target()), [
      { id: 'small', contextLength: 4096 },
      { id: 'large', contextLength: null },
    ]);
    assert.deepEqual(seen, ['/v1/models', 'Bearer upstream-secret']);
  });

  it('sends the raw credential and the version header to the anthropic protocol', async () => {
    const seen: unknown[] = [];
    answer = ({ headers }, response) => {
      seen.push(headers['x-api-key'], headers['anthropic-version'], headers.authorization);
      response.end('{"data":[]}');
    };
    const anthropic = {
      protocol: 'anthropic',
      auth_header: 'x-api-key',
      auth_scheme: null,
    } as const;
    assert.deepEqual(await dial(target(anthropic)), []);
    assert.deepEqual(seen, ['upstream-secret', '2023-06-01', undefined]);
  });

  it('names the credential field when the credential is rejected', async () => {
    replyWith(401, '{"error":"the body must not be repeated"}');
    const refusal = await refusalOf(target());
    assert.equal(refusal.param, 'upstream_api_key');
    assert.doesNotMatch(refusal.message, /repeated|upstream-secret/);
  });

  it('treats status 400 as a rejected credential when the body says that the key is invalid', async () => {
    const gemini = target({ protocol: 'gemini' });
    replyWith(400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}');
    assert.equal((await refusalOf(gemini)).param, 'upstream_api_key');
    for (const body of ['{}', 'x'.repeat(100_000)]) {
      replyWith(400, body);
      assert.equal((await refusalOf(gemini)).param, 'api_base');
    }
  });

  for (const [what, status, body] of [
    ['a path without a model list', 404, '{}'],
    ['a failing provider', 500, '{}'],
    ['a page instead of a list', 200, '<html>'],
    ['an object that is not a list', 200, '{"ok":true}'],
    ['a list that is null', 200, '{"data":null}'],
    ['entries without a model', 200, '{"data":[{"x":1}]}'],
    ['an empty list of another protocol', 200, '{"models":[]}'],
    ['a list that is too long', 200, `{"data":["${'x'.repeat(5 * 1024 * 1024)}"]}`],
  ] as const) {
    it(`refuses ${what} by naming the address`, async () => {
      replyWith(status, body);
      assert.equal((await refusalOf(target())).param, 'api_base');
    });
  }

  it('does not follow redirects', async () => {
    let requests = 0;
    answer = (_request, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    assert.match((await refusalOf(target())).message, /redirect/);
    assert.equal(requests, 1);
  });

  it('refuses an address without a listener, and one that must not be dialled', async () => {
    assert.equal(
      (await refusalOf(target({ api_base: 'http://127.0.0.1:1/v1' }))).param,
      'api_base',
    );
    const metadata = await refusalOf(target({ api_base: 'http://169.254.169.254/v1' }));
    assert.match(metadata.message, /is not an allowed egress destination/);
  });
});

describe('the path of the model list', () => {
  for (const [base, protocol, path, expected] of [
    ['https://a.example/v1/', 'openai', null, 'https://a.example/v1/models'],
    ['https://a.example', 'anthropic', null, 'https://a.example/v1/models'],
    ['https://a.example/v1', 'anthropic', null, 'https://a.example/v1/models'],
    ['https://a.example/x/v1beta', 'gemini', null, 'https://a.example/x/v1beta/models'],
    ['https://a.example/ai/v1', 'openai', '../models/search', 'https://a.example/ai/models/search'],
    ['https://a.example/inference', 'openai', '/catalog', 'https://a.example/catalog'],
  ] as const) {
    it(`${base} (${protocol}, ${path ?? 'no path of its own'}) is ${expected}`, () => {
      const endpoint = { ...target().endpoint, api_base: base, protocol };
      assert.equal(modelsUrl({ endpoint, modelsPath: path }).href, expected);
    });
  }
});
