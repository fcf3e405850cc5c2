// Tests the agent over time: it registers what it finds, renews its leases, and waits for endpoints
// that are down.

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

/** The agent sends heartbeats and searches every 25 ms by default. */
function parts(test: TestContext, url: string, given: Partial<AgentOptions>) {
  const registrar = openRegistrar({ controlUrl: url, token: 'gw-key', ca: null });
  const { probe, close } = openProbe();
  test.after(() => Promise.all([registrar.close(), close()]));
  const logLines: LogLines = [];
  const options: AgentOptions = {
    fixed: [],
    findExposed: null,
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

function started(test: TestContext, control: RegistrationServer, given: Partial<AgentOptions>) {
  const { options, ...rest } = parts(test, control.url, given);
  const agent = startAgent(options);
  test.after(agent.close);
  return { ...rest, agent };
}

const seenAt = ({ seen }: RegistrationServer, apiBase: string): number =>
  seen.filter((one) => one.api_base === apiBase).length;

/** Waits for `more` further registrations of the endpoint. */
const heartbeats = (control: RegistrationServer, apiBase: string, more = 2): Promise<unknown> => {
  const from = seenAt(control, apiBase);
  return until(() => seenAt(control, apiBase) >= from + more, { what: `${more} more heartbeats` });
};

describe('the agent', () => {
  it('registers only endpoints that answer, with their model and engine', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t, { model: 'Qwen/Qwen3-8B' });
    const gone = await startEngine(t);
    await gone.stop();
    const { messages } = started(t, control, {
      fixed: scanned('127.0.0.1', [engine.port, gone.port]),
    });
    await heartbeats(control, engine.apiBase);
    assert.deepEqual(control.seen[0], {
      api_base: engine.apiBase,
      node: 'host',
      name: `Qwen/Qwen3-8B-${engine.port}`,
      engine: 'vllm',
      ttl_seconds: 90,
    });
    assert.equal(seenAt(control, gone.apiBase), 0);
    assert.deepEqual([...control.tokens], ['Bearer gw-key']);
    assert.deepEqual(messages(), ['an endpoint is registered']);
  });

  it('finds an engine that starts later', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    await engine.stop();
    const { messages } = started(t, control, { fixed: scanned('127.0.0.1', [engine.port]) });
    await until(() => messages().includes('no model server is found'), { what: 'nothing found' });
    await engine.start();
    await heartbeats(control, engine.apiBase);
    assert.deepEqual(messages(), ['no model server is found', 'an endpoint is registered']);
  });

  it('renews the lease of a stopped engine only after it returns', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    // A single search, so that only a heartbeat can find the endpoint again.
    const fixed = scanned('127.0.0.1', [engine.port]);
    const { messages } = started(t, control, { fixed, discoverMs: 3_600_000 });
    await heartbeats(control, engine.apiBase);
    await engine.stop();
    const silent = 'an endpoint does not answer, so its lease expires';
    await until(() => messages().includes(silent), { what: 'the silence' });
    const before = control.seen.length;
    await engine.start();
    await heartbeats(control, engine.apiBase, 1);
    assert.equal(control.seen.length >= before + 1, true);
    await until(() => messages().at(-1) === 'an endpoint is registered', { what: 'its return' });
  });

  it('registers an explicitly configured endpoint even if it does not answer', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    await engine.stop();
    started(t, control, { fixed: [outright(engine.apiBase)] });
    await heartbeats(control, engine.apiBase);
    assert.equal(control.seen[0]?.name, `unknown-${engine.port}`);
    await engine.start();
    await until(() => control.seen.at(-1)?.name === `m-${engine.port}`, { what: 'its model' });
    await engine.stop();
    await heartbeats(control, engine.apiBase);
    assert.equal(control.seen.at(-1)?.name, `m-${engine.port}`);
  });

  it('renews leases during a long search', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    let looks = 0;
    const findExposed = async (signal: AbortSignal): Promise<readonly Candidate[]> => {
      looks += 1;
      if (looks > 1) await once(signal, 'abort');
      return [{ apiBase: engine.apiBase, node: 'gpu-1', isOutright: false }];
    };
    started(t, control, { findExposed });
    await until(() => looks > 1, { what: 'a search that takes long' });
    await heartbeats(control, engine.apiBase, 5);
    assert.equal(control.seen[0]?.node, 'gpu-1');
  });

  it('keeps found endpoints while the cluster cannot be read, and still finds configured ones', async (t) => {
    const control = await startRegistrationServer(t);
    const [engine, other] = [await startEngine(t), await startEngine(t)];
    let isAway = false;
    const findExposed = async (): Promise<readonly Candidate[]> => {
      if (isAway) throw new Error('no API server');
      return [{ apiBase: engine.apiBase, node: null, isOutright: false }];
    };
    const fixed = scanned('127.0.0.1', [other.port]);
    await other.stop();
    const { messages } = started(t, control, { fixed, findExposed });
    await heartbeats(control, engine.apiBase);
    isAway = true;
    const failed = 'the search for endpoints failed';
    await until(() => messages().includes(failed), { what: 'the failure' });
    await other.start();
    await heartbeats(control, other.apiBase);
    await heartbeats(control, engine.apiBase);
    isAway = false;
    const works = 'the search for endpoints works again';
    await until(() => messages().includes(works), { what: 'the recovery' });
    assert.equal(messages().filter((message) => message === failed).length, 1);
  });

  it('drops an endpoint that is no longer exposed', async (t) => {
    const control = await startRegistrationServer(t);
    const [engine, other] = [await startEngine(t), await startEngine(t)];
    const exposed = [engine, other].map(({ apiBase }) => ({
      apiBase,
      node: null,
      isOutright: false,
    }));
    const { messages } = started(t, control, { findExposed: async () => exposed });
    await heartbeats(control, engine.apiBase);
    exposed.shift();
    const gone = 'an endpoint is no longer exposed, so its lease expires';
    await until(() => messages().includes(gone), { what: 'the loss' });
    await heartbeats(control, other.apiBase);
    const before = seenAt(control, engine.apiBase);
    await heartbeats(control, other.apiBase, 4);
    assert.equal(seenAt(control, engine.apiBase), before);
  });

  it('reports an unreachable control plane once, backs off, and resumes when it returns', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const fixed = scanned('127.0.0.1', [engine.port]);
    const { messages, logLines } = started(t, control, { fixed });
    await heartbeats(control, engine.apiBase);
    await control.stop();
    const away = 'the control plane does not answer';
    await until(() => messages().includes(away), { what: 'the absence' });
    const asked = engine.asked();
    await until(() => engine.asked() > asked + 2, { what: 'further rounds' });
    await control.start();
    await until(() => messages().includes('the control plane answers again'), {
      what: 'the return',
    });
    await heartbeats(control, engine.apiBase);
    assert.equal(messages().filter((message) => message === away).length, 1);
    assert.match(
      String(logLines.find(({ message }) => message === away)?.fields['reason']),
      /ECONN/,
    );
  });

  it('starts while the control plane is unreachable, and registers once it is up', async (t) => {
    const control = await startRegistrationServer(t);
    await control.stop();
    const engine = await startEngine(t);
    const { messages } = started(t, control, { fixed: scanned('127.0.0.1', [engine.port]) });
    const away = 'the control plane does not answer';
    await until(() => messages().includes(away), { what: 'the absence' });
    await control.start();
    await heartbeats(control, engine.apiBase);
  });

  it('logs a refusal once, retries at each heartbeat, and logs the later success', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const error = { error: { message: 'unknown API key', type: 'unauthenticated' } };
    control.answerWith({ status: 401, text: JSON.stringify(error) });
    const { messages, logLines } = started(t, control, {
      fixed: scanned('127.0.0.1', [engine.port]),
    });
    await heartbeats(control, engine.apiBase, 4);
    assert.deepEqual(messages(), ['a registration was refused']);
    const { status, reason } = logLines[0]?.fields ?? {};
    assert.deepEqual([status, reason], [401, 'unknown API key']);
    control.answerWith(null);
    await until(() => messages().includes('an endpoint is registered'), { what: 'it is taken' });
  });

  it('warns of a provider at the address whose lease it does not hold', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const record = { id: 3, api_base: engine.apiBase, name: 'hand', kind: 'static', leased: false };
    control.answerWith({ status: 200, text: JSON.stringify(record) });
    const { messages } = started(t, control, { fixed: scanned('127.0.0.1', [engine.port]) });
    await heartbeats(control, engine.apiBase, 3);
    assert.deepEqual(messages(), [
      'the address belongs to a provider without a lease of this agent',
    ]);
  });

  it('continues with the other endpoints if one registration fails', async (t) => {
    const control = await startRegistrationServer(t);
    const engines = [await startEngine(t), await startEngine(t), await startEngine(t)];
    const [bad] = engines;
    const { options } = parts(t, control.url, {
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
    for (const { apiBase } of engines.slice(1)) await heartbeats(control, apiBase, 3);
  });

  it('stops at once, regardless of what it waits for', async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    let isAsked = false;
    const { options } = parts(t, control.url, {
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
  it('returns the outcome of each candidate', async (t) => {
    const control = await startRegistrationServer(t);
    const [engine, gone] = [await startEngine(t), await startEngine(t)];
    await gone.stop();
    const fixed = scanned('127.0.0.1', [engine.port, gone.port]);
    const visited = await registerOnce(parts(t, control.url, { fixed }).options);
    assert.deepEqual(visited.map(({ kind }) => kind).toSorted(), ['registered', 'silent']);
    assert.equal(control.seen.length, 1);
  });
});
