// Starts a real gateway on a free port with the few facts that a test is about.

import assert from 'node:assert/strict';

import { startGateway } from '../../../src/gateway/gateway.ts';
import type { Gateway, GatewayOptions } from '../../../src/gateway/gateway.ts';
import { createLive } from '../../../src/gateway/config/live.ts';
import type { Live } from '../../../src/gateway/config/live.ts';
import type { LogFields } from '../../../src/telemetry/log-fields.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { UsageEvent } from '../../../src/usage/usage-event.ts';
import { givenSnapshot } from './snapshot.ts';
import type { GivenSnapshot } from './snapshot.ts';

type LogLevel = Exclude<keyof Log, 'of'>;
export type LogLine = Readonly<{ level: LogLevel; fields: LogFields; message: string }>;

export function collectLog(lines: LogLine[]): Log {
  const at = (level: LogLevel) => (fields: LogFields, message: string) =>
    void lines.push({ level, fields, message });
  const log: Log = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    of: () => log,
  };
  return log;
}

/** The settings of a proxy that sends spans nowhere. */
export const untraced = {
  otelEndpoint: null,
  otelSampleOneIn: 100,
  otelServiceName: 'gw',
} as const;

/** The settings of a proxy that knows no other encoder than the one that is built in. */
export const builtInClassifier = {
  classifierModel: null,
  classifierRefinedModel: null,
  classifierRefinedRuntime: 'onnxruntime-node',
} as const;

export type TestGateway = Readonly<{
  url: string;
  gateway: Gateway;
  live: Live;
  events: UsageEvent[];
  logLines: LogLine[];
  apply: (given: GivenSnapshot) => void;
  /** POST /v1/chat/completions with the key `key` unless other headers are given. */
  chat: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  metrics: () => Promise<string>;
  [Symbol.asyncDispose]: () => Promise<void>;
}>;

/** Whether Node's parser reads all requests, and not the unusual ones alone: tests of connections run both ways. */
export const parsesAll = process.env['GW_TEST_PARSES_ALL'] !== undefined;

/** Without a snapshot when none is given. */
export async function startTestGateway(
  given: GivenSnapshot | null,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const logLines: LogLine[] = [];
  const log = collectLog(logLines);
  const events: UsageEvent[] = [];
  const live = createLive({ log, monotonic: () => performance.now() });
  const apply = (next: GivenSnapshot): void => {
    assert.equal(live.apply(givenSnapshot(next)), undefined);
  };
  if (given !== null) apply(given);
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    version: '0.0.0-test',
    live,
    log,
    usage: (event) => void events.push(event),
    upstream: { idleConnectionsMax: 64, caBundle: [], ...options.upstream },
    firstByteMs: 5000,
    bodyBytesMax: 1024 * 1024,
    bodiesInFlightBytesMax: 8 * 1024 * 1024,
    tickMs: 20,
    // Which backend is tried first is then known to a test that is about something else.
    policy: 'round-robin',
    parsesAll,
    ...options,
  });
  const { url } = gateway;
  return {
    url,
    gateway,
    live,
    events,
    logLines,
    apply,
    chat: (body, headers = { authorization: 'Bearer key' }) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    [Symbol.asyncDispose]: () => gateway.close(0),
  };
}

export const chatBody = (model: string, more: Readonly<Record<string, unknown>> = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});
