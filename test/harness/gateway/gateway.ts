// Starts a gateway on a free port with a snapshot that a test describes briefly.

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

/** Settings of a proxy that exports no spans. */
export const untraced = {
  otelEndpoint: null,
  otelSampleOneIn: 100,
  otelServiceName: 'gw',
} as const;

/** Settings of a proxy that has only the built-in encoder. */
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
  /** POST /v1/chat/completions with the API key `key`, unless headers are given. */
  chat: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  metrics: () => Promise<string>;
  [Symbol.asyncDispose]: () => Promise<void>;
}>;

/**
 * True if Node's parser reads all requests, not only those that our reader leaves to it. The tests
 * of connections run in both modes.
 */
export const parsesAll = process.env['GW_TEST_PARSES_ALL'] !== undefined;

/** Starts without a snapshot if none is given. */
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
    // Makes the order of backends predictable.
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
