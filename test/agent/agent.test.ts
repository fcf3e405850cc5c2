// Holds what the agent does over time: what it finds it registers, what it holds it renews, and what is away it waits for.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { registerOnce, startAgent } from '../../src/agent/agent.ts';
import type { AgentOptions } from '../../src/agent/agent.ts';
import { outright, scanned } from '../../src/agent/candidate.ts';
import type { Candidate } from '../../src/agent/candidate.ts';
import { openProbe } from '../../src/agent/probe.ts';
import { openRegistrar } from '../../src/agent/register.ts';
import { startEngine, startRegistrationServer } from '../harness/upstream/engine.ts';
import type { RegistrationServer } from '../harness/upstream/engine.ts';
import { collectLog } from '../harness/gateway/gateway.ts';
import { until } from '../harness/wait.ts';

type LogLines = Parameters<typeof collectLog>[0];

const soonMs = 25;

/** Beats and looks every 25 ms unless told otherwise. */
function parts(test: TestContext, url: string, given: Partial<AgentOptions>) {
  const registrar = openRegistrar({ controlUrl: url, token: 'gw-key', ca: null });
  const { probe, close } = openProbe();
  test.after(() => Promise.all([registrar.close(), close()]));
  const logLines: LogLines = [];
  const options: AgentOptions = {
    fixed: [],
    look: null,
    probe,
    register: registrar.register,
    describe: ({ apiBase, node }, served) => ({
      api_base: apiBase,
      node: node ?? 'host',
      name: `${served?.model ?? 'unknown'}-${new URL(apiBase).port}`,
      ...(served?.engine === null || served === null ? {} : { engine: served.engine }),
      ttl_seconds: 90,
    }),
    workers: 4,
    intervalMs: soonMs,
    discoverMs: soonMs,
    log: collectLog(logLines),
    random: () => 0,
    ...given,
  };
  return { options, logLines, messages: () => logLines.map(({ message }) => message) };
}

function started(test: TestContext, desk: RegistrationServer, given: Partial<AgentOptions>) {
  const { options, ...rest } = parts(test, desk.url, given);
  const agent = startAgent(options);
  test.after(agent.close);
  return { ...rest, agent };
}

const seenAt = ({ seen }: RegistrationServer, apiBase: string): number =>
  seen.filter((one) => one.api_base === apiBase).length;

/** As many further registrations of the endpoint. */
const beats = (desk: RegistrationServer, apiBase: string, more = 2): Promise<unknown> => {
  const from = seenAt(desk, apiBase);
  return until(() => seenAt(desk, apiBase) >= from + more, { what: `${more} more heartbeats` });
};

describe('the agent', () => {
  it('registers what answers on its ports with what it knows of it, and nothing else', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t, { model: 'Qwen/Qwen3-8B' });
    const gone = await startEngine(t);
    await gone.stop();
    const { messages } = started(t, desk, {
      fixed: scanned('127.0.0.1', [engine.port, gone.port]),
    });
    await beats(desk, engine.apiBase);
    assert.deepEqual(desk.seen[0], {
      api_base: engine.apiBase,
      node: 'host',
      name: `Qwen/Qwen3-8B-${engine.port}`,
      engine: 'vllm',
      ttl_seconds: 90,
    });
    assert.equal(seenAt(desk, gone.apiBase), 0);
    assert.deepEqual([...desk.tokens], ['Bearer gw-key']);
    assert.deepEqual(messages(), ['an endpoint is registered']);
  });

  it('finds an engine that comes later', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    await engine.stop();
    const { messages } = started(t, desk, { fixed: scanned('127.0.0.1', [engine.port]) });
    await until(() => messages().includes('no model server is found'), { what: 'nothing found' });
    await engine.start();
    await beats(desk, engine.apiBase);
    assert.deepEqual(messages(), ['no model server is found', 'an endpoint is registered']);
  });

  it('renews no lease of an engine that is gone, and the heartbeat after its return does', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    // One search alone, so that the heartbeat is what finds it again.
    const fixed = scanned('127.0.0.1', [engine.port]);
    const { messages } = started(t, desk, { fixed, discoverMs: 3_600_000 });
    await beats(desk, engine.apiBase);
    await engine.stop();
    const silent = 'an endpoint does not answer, so its lease expires';
    await until(() => messages().includes(silent), { what: 'the silence' });
    const before = desk.seen.length;
    await engine.start();
    await beats(desk, engine.apiBase, 1);
    assert.equal(desk.seen.length >= before + 1, true);
    await until(() => messages().at(-1) === 'an endpoint is registered', { what: 'its return' });
  });

  it('registers an endpoint that is configured outright, whether or not it answers', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    await engine.stop();
    started(t, desk, { fixed: [outright(engine.apiBase)] });
    await beats(desk, engine.apiBase);
    assert.equal(desk.seen[0]?.name, `unknown-${engine.port}`);
    await engine.start();
    await until(() => desk.seen.at(-1)?.name === `m-${engine.port}`, { what: 'its model' });
    await engine.stop();
    await beats(desk, engine.apiBase);
    assert.equal(desk.seen.at(-1)?.name, `m-${engine.port}`);
  });

  it('renews leases while a search takes long', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    let looks = 0;
    const look = async (signal: AbortSignal): Promise<readonly Candidate[]> => {
      looks += 1;
      if (looks > 1) await once(signal, 'abort');
      return [{ apiBase: engine.apiBase, node: 'gpu-1', isOutright: false }];
    };
    started(t, desk, { look });
    await until(() => looks > 1, { what: 'a search that takes long' });
    await beats(desk, engine.apiBase, 5);
    assert.equal(desk.seen[0]?.node, 'gpu-1');
  });

  it('keeps what it found while the cluster cannot be read, and what is configured is found', async (t) => {
    const desk = await startRegistrationServer(t);
    const [engine, other] = [await startEngine(t), await startEngine(t)];
    let isAway = false;
    const look = async (): Promise<readonly Candidate[]> => {
      if (isAway) throw new Error('no API server');
      return [{ apiBase: engine.apiBase, node: null, isOutright: false }];
    };
    const fixed = scanned('127.0.0.1', [other.port]);
    await other.stop();
    const { messages } = started(t, desk, { fixed, look });
    await beats(desk, engine.apiBase);
    isAway = true;
    const failed = 'the search for endpoints failed';
    await until(() => messages().includes(failed), { what: 'the failure' });
    await other.start();
    await beats(desk, other.apiBase);
    await beats(desk, engine.apiBase);
    isAway = false;
    const works = 'the search for endpoints works again';
    await until(() => messages().includes(works), { what: 'the recovery' });
    assert.equal(messages().filter((message) => message === failed).length, 1);
  });

  it('lets go of an endpoint that is exposed no more', async (t) => {
    const desk = await startRegistrationServer(t);
    const [engine, other] = [await startEngine(t), await startEngine(t)];
    const exposed = [engine, other].map(({ apiBase }) => ({
      apiBase,
      node: null,
      isOutright: false,
    }));
    const { messages } = started(t, desk, { look: async () => exposed });
    await beats(desk, engine.apiBase);
    exposed.shift();
    const gone = 'an endpoint is no longer exposed, so its lease expires';
    await until(() => messages().includes(gone), { what: 'the loss' });
    await beats(desk, other.apiBase);
    const before = seenAt(desk, engine.apiBase);
    await beats(desk, other.apiBase, 4);
    assert.equal(seenAt(desk, engine.apiBase), before);
  });

  it('says once that the control plane is away, waits longer each time, and goes on when it is back', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const fixed = scanned('127.0.0.1', [engine.port]);
    const { messages, logLines } = started(t, desk, { fixed });
    await beats(desk, engine.apiBase);
    await desk.stop();
    const away = 'the control plane does not answer';
    await until(() => messages().includes(away), { what: 'the absence' });
    const asked = engine.asked();
    await until(() => engine.asked() > asked + 2, { what: 'further rounds' });
    await desk.start();
    await until(() => messages().includes('the control plane answers again'), {
      what: 'the return',
    });
    await beats(desk, engine.apiBase);
    assert.equal(messages().filter((message) => message === away).length, 1);
    assert.match(
      String(logLines.find(({ message }) => message === away)?.fields['reason']),
      /ECONN/,
    );
  });

  it('starts while the control plane is away, and registers when it comes', async (t) => {
    const desk = await startRegistrationServer(t);
    await desk.stop();
    const engine = await startEngine(t);
    const { messages } = started(t, desk, { fixed: scanned('127.0.0.1', [engine.port]) });
    const away = 'the control plane does not answer';
    await until(() => messages().includes(away), { what: 'the absence' });
    await desk.start();
    await beats(desk, engine.apiBase);
  });

  it('says a refusal once, asks again at the next heartbeat, and says when it is taken', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const error = { error: { message: 'unknown API key', type: 'unauthenticated' } };
    desk.answerWith({ status: 401, text: JSON.stringify(error) });
    const { messages, logLines } = started(t, desk, {
      fixed: scanned('127.0.0.1', [engine.port]),
    });
    await beats(desk, engine.apiBase, 4);
    assert.deepEqual(messages(), ['a registration was refused']);
    const { status, reason } = logLines[0]?.fields ?? {};
    assert.deepEqual([status, reason], [401, 'unknown API key']);
    desk.answerWith(null);
    await until(() => messages().includes('an endpoint is registered'), { what: 'it is taken' });
  });

  it('warns of a provider at the address that is no lease of its own', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const record = { id: 3, api_base: engine.apiBase, name: 'hand', kind: 'static', leased: false };
    desk.answerWith({ status: 200, text: JSON.stringify(record) });
    const { messages } = started(t, desk, { fixed: scanned('127.0.0.1', [engine.port]) });
    await beats(desk, engine.apiBase, 3);
    assert.deepEqual(messages(), [
      'the address belongs to a provider without a lease of this agent',
    ]);
  });

  it('lets one endpoint whose registration fails keep no other from its turn', async (t) => {
    const desk = await startRegistrationServer(t);
    const engines = [await startEngine(t), await startEngine(t), await startEngine(t)];
    const [bad] = engines;
    const { options } = parts(t, desk.url, {
      fixed: scanned(
        '127.0.0.1',
        engines.map(({ port }) => port),
      ),
      workers: 1,
    });
    const agent = startAgent({
      ...options,
      register: async (registration, signal) =>
        registration.api_base === bad?.apiBase
          ? { kind: 'away', why: 'status 500', retryAfterMs: null }
          : options.register(registration, signal),
    });
    t.after(agent.close);
    for (const { apiBase } of engines.slice(1)) await beats(desk, apiBase, 3);
  });

  it('ends at once, whatever it waits for', async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    let isAsked = false;
    const { options } = parts(t, desk.url, {
      fixed: scanned('127.0.0.1', [engine.port]),
      intervalMs: 3_600_000,
      discoverMs: 3_600_000,
    });
    const agent = startAgent({
      ...options,
      probe: (_, signal) => {
        isAsked = true;
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(null));
        });
      },
    });
    await until(() => isAsked, { what: 'a probe that takes long' });
    const startedAt = performance.now();
    await agent.close();
    assert.equal(performance.now() - startedAt < 5000, true);
  });
});

describe('registering once', () => {
  it('answers what came of each candidate', async (t) => {
    const desk = await startRegistrationServer(t);
    const [engine, gone] = [await startEngine(t), await startEngine(t)];
    await gone.stop();
    const fixed = scanned('127.0.0.1', [engine.port, gone.port]);
    const visited = await registerOnce(parts(t, desk.url, { fixed }).options);
    assert.deepEqual(visited.map(({ kind }) => kind).toSorted(), ['registered', 'silent']);
    assert.equal(desk.seen.length, 1);
  });
});
