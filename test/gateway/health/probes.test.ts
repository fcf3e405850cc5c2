// Probes through real sockets: what is asked, what takes an endpoint out and brings it back, and what is learnt.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const often = { probes: { intervalMs: 40, timeoutMs: 200 } };
const keys = { key: {} };

/** Answers the model list by this script, and everything else as an engine does. */
const listing =
  (list: Script): Script =>
  (request, response) =>
    (request.method === 'GET' ? list : answerJson())(request, response);

const list = answerJson({ object: 'list', data: [{ id: 'up', max_model_len: 2048 }] });
const failing = answerJson({ error: {} }, 503);

const probesAt = ({ seen }: ScriptedUpstream) => seen.filter(({ method }) => method === 'GET');

const probed = (upstream: ScriptedUpstream, times: number) => {
  const before = probesAt(upstream).length;
  return until(() => probesAt(upstream).length >= before + times, { what: `${times} probes` });
};

const healthOf = async ({ url }: TestGateway): Promise<readonly boolean[]> => {
  const { backends } = JSON.parse(await (await fetch(`${url}/health`)).text());
  return backends.map(({ healthy }: { healthy: boolean }) => healthy);
};

const isOut = (gateway: TestGateway) => async () => (await healthOf(gateway)).includes(false);
const isIn = (gateway: TestGateway) => async () => !(await healthOf(gateway)).includes(false);

describe('a probe', () => {
  it("probes an endpoint once for all its models, with the backends' own credential", async () => {
    await using upstream = await startUpstream(listing(list));
    const { apiBase } = upstream;
    const one = (upstreamModel: string, credential: string) => ({
      backends: [{ apiBase, upstreamModel, credential }],
    });
    await using _ = await startTestGateway(
      { models: { a: one('up', 'secret'), b: one('other', 'secret'), c: one('up', 'another') } },
      { probes: { intervalMs: 100_000, timeoutMs: 1000 } },
    );
    await until(() => upstream.seen.length === 2, { what: 'both endpoints to be asked' });
    assert.deepEqual(new Set(upstream.seen.map(({ path }) => path)), new Set(['/v1/models']));
    const credentials = new Set(upstream.seen.map(({ headers }) => headers.authorization));
    assert.deepEqual(credentials, new Set(['Bearer another', 'Bearer secret']));
  });

  for (const [protocol, path, version] of [
    ['anthropic', '/v1/models?limit=1000', '2023-06-01'],
    ['gemini', '/v1/models?pageSize=1000', undefined],
  ] as const) {
    it(`asks for the list where protocol ${protocol} has it`, async () => {
      await using upstream = await startUpstream(list);
      const backends = [{ apiBase: upstream.apiBase, protocol, credential: 'secret' }];
      await using _ = await startTestGateway({ models: { m: { backends } } }, often);
      const [seen] = await until(() => upstream.seen.length > 0 && upstream.seen, {
        what: 'a probe',
      });
      assert.deepEqual([seen?.path, seen?.headers['anthropic-version']], [path, version]);
    });
  }

  it('tells the windows of backends of every protocol', async () => {
    const lists = {
      anthropic: { data: [{ type: 'model', id: 'up', max_input_tokens: 4096 }] },
      gemini: { models: [{ name: 'models/up', inputTokenLimit: 8192 }] },
    };
    await using disposed = new AsyncDisposableStack();
    const models: Record<string, GivenSnapshot['models'][string]> = {};
    for (const [protocol, body] of Object.entries(lists)) {
      const { apiBase } = disposed.use(await startUpstream(answerJson(body)));
      models[protocol] = { backends: [{ apiBase, protocol, upstreamModel: 'up' }] };
    }
    const { url } = disposed.use(await startTestGateway({ models }, often));
    const windows = async (): Promise<readonly unknown[]> => {
      const { data } = JSON.parse(await (await fetch(`${url}/v1/models`)).text());
      return data.map((model: { context_length?: number }) => model.context_length);
    };
    const known = async () => !(await windows()).includes(undefined);
    await until(known, { what: 'both windows' });
    assert.deepEqual(await windows(), [4096, 8192]);
  });

  it('takes a backend out after two failures and brings it back with one success', async () => {
    await using upstream = await startUpstream(listing(list));
    const models = { m: { backends: [{ apiBase: upstream.apiBase, upstreamModel: 'up' }] } };
    await using gateway = await startTestGateway({ models, keys }, often);
    await probed(upstream, 2);
    assert.deepEqual(await healthOf(gateway), [true]);
    upstream.play(listing(failing));
    await until(isOut(gateway), { what: 'the backend to be out' });
    const labels = `api_base="${upstream.apiBase}",model="up"`;
    const out = await gateway.metrics();
    assert.ok(out.includes(`gw_backend_healthy{${labels}} 0\n`));
    assert.ok(out.includes(`gw_backend_ejections_total{${labels}} 1\n`));
    const line = gateway.logLines.find(({ message }) => message.includes('out of rotation'));
    assert.deepEqual(line?.fields, {
      api_base: upstream.apiBase,
      reason: 'probe',
      detail: 'status 503',
    });
    upstream.play(listing(list));
    await until(isIn(gateway), { what: 'the backend to be back' });
    assert.ok(gateway.logLines.some(({ message }) => message.includes('back in rotation')));
  });

  for (const [what, script] of [
    ['is not answered', () => {}],
    ['is answered without an end', (_, response) => void response.write('{')],
    ['is hung up on', (_, response) => void response.socket?.destroy()],
    ['is redirected', (_, response) => void response.writeHead(302, { location: '/' }).end()],
  ] as const satisfies readonly (readonly [string, Script])[]) {
    it(`that ${what} has failed`, async () => {
      await using upstream = await startUpstream(listing(script));
      const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
      await using gateway = await startTestGateway({ models }, often);
      await until(isOut(gateway), { what: 'the backend to be out' });
    });
  }

  it('says nothing of an endpoint that never had a model list', async () => {
    await using upstream = await startUpstream(listing(answerJson({}, 404)));
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    await using gateway = await startTestGateway({ models }, often);
    await probed(upstream, 5);
    assert.deepEqual(await healthOf(gateway), [true]);
  });

  it('ends with the gateway, the one in flight too', async () => {
    await using upstream = await startUpstream(() => {});
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    const gateway = await startTestGateway(
      { models },
      { probes: { intervalMs: 40, timeoutMs: 60_000 } },
    );
    await until(() => upstream.seen.length === 1, { what: 'a probe' });
    await gateway.gateway.close(0);
    await until(() => upstream.seen[0]?.isAborted, { what: 'the probe to be left' });
    assert.equal(upstream.seen.length, 1);
  });
});

describe('a new snapshot', () => {
  it('keeps what is known of an endpoint that did not change, and of no other', async () => {
    await using upstream = await startUpstream(listing(failing));
    const { apiBase } = upstream;
    const given = (version: number, credential: string, model: string) => ({
      version,
      models: {
        m: { backends: [{ apiBase, credential }] },
        [model]: { backends: [{ apiBase, credential }] },
      },
    });
    await using gateway = await startTestGateway(given(1, 'one', 'a'), often);
    await until(async () => !(await healthOf(gateway)).includes(true), { what: 'both to be out' });
    gateway.apply(given(2, 'one', 'b'));
    assert.deepEqual(await healthOf(gateway), [false, false]);
    gateway.apply(given(3, 'two', 'b'));
    assert.deepEqual(await healthOf(gateway), [true, true]);
  });
});

describe('backends that are out', () => {
  it('are tried when there is nothing else, and not before what follows in the chain', async () => {
    await using one = await startUpstream(listing(failing));
    await using two = await startUpstream(listing(failing));
    await using last = await startUpstream(answerJson());
    const pair = { backends: [{ apiBase: one.apiBase }, { apiBase: two.apiBase }] };
    await using gateway = await startTestGateway({ models: { m: pair }, keys }, often);
    await until(async () => !(await healthOf(gateway)).includes(true), { what: 'both to be out' });
    assert.equal((await gateway.chat(chatBody('m'))).status, 200);
    gateway.apply({
      version: 2,
      models: { m: pair, last: { backends: [{ apiBase: last.apiBase }] } },
      fallback: 'last',
      keys,
    });
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.headers.get('x-gw-served-model'), 'last');
  });

  it('are not retried while the chain has other targets', async () => {
    await using busy = await startUpstream(answerJson({ error: {} }, 503));
    await using wedged = await startUpstream(listing(failing));
    await using last = await startUpstream(answerJson());
    busy.play((request, response) =>
      (request.method === 'GET' ? list : failing)(request, response),
    );
    await using gateway = await startTestGateway(
      {
        models: {
          m: { backends: [{ apiBase: busy.apiBase }, { apiBase: wedged.apiBase }] },
          last: { backends: [{ apiBase: last.apiBase }] },
        },
        fallback: 'last',
        keys,
      },
      often,
    );
    await until(isOut(gateway), { what: 'one to be out' });
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.headers.get('x-gw-served-model'), 'last');
    assert.equal(wedged.seen.length, probesAt(wedged).length);
  });
});

const windowsOf = async ({ url }: TestGateway) => {
  const headers = { authorization: 'Bearer key' };
  const { data } = JSON.parse(await (await fetch(`${url}/v1/models`, { headers })).text());
  return Object.fromEntries(
    data.map((one: { id: string; context_length?: number; max_model_len?: number }) => {
      assert.equal(one.context_length, one.max_model_len);
      return [one.id, one.context_length ?? null];
    }),
  );
};

describe('the window of a model', () => {
  it('that its engine says is what a request is too long for', async () => {
    await using upstream = await startUpstream(list);
    const { apiBase } = upstream;
    await using gateway = await startTestGateway(
      {
        models: {
          short: { backends: [{ apiBase, upstreamModel: 'up' }], contextLength: 9000 },
          long: { backends: [{ apiBase, upstreamModel: 'untold' }] },
        },
        frontendModels: { house: { defaults: ['short', 'long'] } },
        keys,
      },
      often,
    );
    const servedBy = async (max_tokens: number) =>
      (await gateway.chat(chatBody('house', { max_tokens }))).headers.get('x-gw-served-model');
    await until(async () => (await servedBy(4000)) === 'long', { what: 'the window to be learnt' });
    assert.equal(await servedBy(1000), 'short');
  });

  it('is what its engine says before what is stored, and the smallest of what is reached', async () => {
    await using upstream = await startUpstream(list);
    const { apiBase } = upstream;
    await using gateway = await startTestGateway(
      {
        models: {
          told: { backends: [{ apiBase, upstreamModel: 'up' }], contextLength: 9000 },
          stored: { backends: [{ apiBase, upstreamModel: 'untold' }], contextLength: 4000 },
          unknown: { backends: [{ apiBase, upstreamModel: 'untold' }] },
        },
        frontendModels: {
          house: { defaults: ['told', 'stored', 'unknown'] },
          short: { defaults: ['told'], maxModelLen: 100 },
        },
        keys,
      },
      often,
    );
    const windows = await until(
      async () => {
        const found = await windowsOf(gateway);
        return found['told'] === 2048 && found;
      },
      { what: 'the window to be learnt' },
    );
    const expected = { house: 2048, short: 100, stored: 4000, told: 2048, unknown: null };
    assert.deepEqual(windows, expected);
  });
});
