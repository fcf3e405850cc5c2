// An upstream that repeats the gateway's credential in an error does not tell it to the client.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { CredentialMask } from '../../../src/gateway/outbound/credential-echo.ts';
import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import { answerJson, completion, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';

const credential = 'sk-canary-0123456789abcdef';
const stars = '*'.repeat(credential.length);
const told = `bad key ${credential}, again: ${credential}`;
const error = { error: { message: told } };

const keys = { key: {} };
const backendAt = (apiBase: string, protocol?: 'anthropic') => ({
  models: { m: { backends: [{ apiBase, credential, ...(protocol && { protocol }) }] } },
  keys,
});

/** Writes the body in two pieces that part in the middle of the credential. */
const inPieces =
  (status: number): Script =>
  (_, response) => {
    const body = JSON.stringify(error);
    const middle = body.indexOf(credential) + 5;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write(body.slice(0, middle), () => {
      setImmediate(() => response.end(body.slice(middle)));
    });
  };

describe('the credential in an answer of its upstream is masked', () => {
  for (const [what, script] of [
    ['an error that is passed on', answerJson(error, 401)],
    ['an error that comes in pieces', inPieces(401)],
    ['an error that was held while others could be tried', answerJson(error, 500)],
    ['a 200 that is an error', answerJson({ error: { message: told, code: 401 } }, 200)],
    ['a redirect', answerJson(error, 302)],
  ] as const) {
    it(`in ${what}`, async () => {
      await using upstream = await startUpstream(script);
      await using gateway = await startTestGateway(backendAt(upstream.apiBase));
      const response = await gateway.chat(chatBody('m'));
      assert.ok(response.status >= 300);
      const text = await response.text();
      assert.equal(upstream.seen[0]?.headers.authorization, `Bearer ${credential}`);
      assert.match(text, new RegExp(`bad key ${stars.replaceAll('*', '\\*')}, again: \\*{26}"`));
      assert.ok(!text.includes('canary'));
      const length = response.headers.get('content-length');
      if (length !== null) assert.equal(Number(length), Buffer.byteLength(text));
    });
  }

  it('in an error that was translated from another protocol', async () => {
    await using upstream = await startUpstream(
      answerJson({ type: 'error', error: { type: 'authentication_error', message: told } }, 401),
    );
    await using gateway = await startTestGateway(backendAt(upstream.apiBase, 'anthropic'));
    const response = await gateway.chat(chatBody('m', { max_tokens: 9 }));
    assert.equal(response.status, 401);
    const text = await response.text();
    assert.ok(text.includes(`bad key ${stars}`) && !text.includes('canary'), text);
  });

  it('in a header', async () => {
    const headers = { 'openai-version': `for ${credential}` };
    await using upstream = await startUpstream(answerJson(error, 401, headers));
    await using gateway = await startTestGateway(backendAt(upstream.apiBase));
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.headers.get('openai-version'), `for ${stars}`);
  });
});

it('a good answer is passed on as it is', async () => {
  await using upstream = await startUpstream(answerJson({ ...completion, id: credential }));
  await using gateway = await startTestGateway(backendAt(upstream.apiBase));
  const response = await gateway.chat(chatBody('m'));
  assert.equal(response.status, 200);
  assert.ok((await response.text()).includes(credential));
});

it('masks the same bytes however the answer is cut into pieces', () => {
  const piece = fc.constantFrom('s', 'sk', 'sk-aa', 'sk-aab', 'sk-aabsk-aab', ' x', 'aab');
  const given = fc.array(piece, { maxLength: 12 });
  fc.assert(
    fc.property(given, fc.array(fc.nat(40)), (pieces, cuts) => {
      const text = pieces.join('');
      const mask = new CredentialMask('sk-aab');
      const ends = [...cuts.filter((cut) => cut < text.length), text.length].sort((a, b) => a - b);
      let out = '';
      let from = 0;
      for (const end of ends) {
        out += mask.push(Buffer.from(text.slice(from, end)), false).toString();
        from = end;
      }
      assert.equal(out + mask.end().toString(), text.replaceAll('sk-aab', '******'));
    }),
  );
});
