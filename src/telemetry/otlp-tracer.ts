// Creates spans with OpenTelemetry's SDK and sends them as OTLP over HTTP
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Imported only if a collector is configured.

import { connect } from 'node:net';

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as tracing } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

import { createOpenGuard } from '../egress/egress.ts';
import type { Guard } from '../egress/egress.ts';
import { createSampler } from './sampler.ts';
import { SpanQueue } from './span-queue.ts';
import { writeTraceParent } from './trace-context.ts';
import type { TraceParent } from './trace-context.ts';
import type { Trace, TraceFacts, Tracer, TracerOptions } from './trace.ts';

const spanName = 'chat_completion';
const exportTimeoutMs = 5000;
const connectTimeoutMs = 3000;
const delayMsDefault = 2000;
const queuedMaxDefault = 2048;
const textMax = 256;

/** Never rejects, and does not wait for the collector. An unreachable collector is logged. */
export function createTracer(options: TracerOptions): Tracer {
  const { serviceName, version, log, guard = createOpenGuard() } = options;
  const url = tracesUrl(options.endpoint);
  const queue = new SpanQueue({
    exporter: createExporter(url, guard),
    log,
    delayMs: options.delayMs ?? delayMsDefault,
    queuedMax: options.queuedMax ?? queuedMaxDefault,
  });
  const provider = new TracerProvider({
    // Sampling is decided before a span is created.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanLimits: { attributeValueLengthLimit: textMax },
    spanProcessors: [queue],
  });
  const tracer = provider.getTracer('gw', version);
  checkReachable(url, guard, (error) => queue.noteAway(error));
  const start = (parent: TraceParent | null, startedMs: number): Trace => {
    const span = tracer.startSpan(
      spanName,
      { kind: SpanKind.SERVER, startTime: startedMs },
      parent === null ? ROOT_CONTEXT : contextOf(parent),
    );
    const { traceId, spanId } = span.spanContext();
    const facts: TraceFacts = {};
    return {
      traceparent: writeTraceParent({ traceId, spanId, isSampled: true }),
      isContinued: parent !== null,
      facts,
      end: (durationMs) => {
        span.setAttributes({ ...facts });
        if ((facts.status ?? 0) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(startedMs + durationMs);
      },
    };
  };
  return {
    begin: createSampler(options.sampleOneIn, start),
    source: (scrape) => {
      for (const [result, spans] of Object.entries(queue.counts)) {
        scrape.add('traceSpans', { result }, spans);
      }
    },
    close: async (limitMs) => {
      await within(limitMs, provider.shutdown());
      if (queue.queued > 0) log.warn({ spans: queue.queued }, 'spans were lost at shutdown');
    },
  };
}

/**
 * Resolves names through the guard, so that a collector at a forbidden address is never contacted.
 */
function createExporter(url: string, { lookup, refusalOf }: Guard): SpanExporter {
  const refused = refusalOf(hostOf(url));
  if (refused === null) {
    return new OTLPTraceExporter({
      url,
      timeoutMillis: exportTimeoutMs,
      httpAgentOptions: { lookup },
    });
  }
  return {
    export: (_spans, done) => done({ code: ExportResultCode.FAILED, error: refused }),
    shutdown: async () => {},
  };
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/**
 * Appends the path for traces to a base address, as other exporters do
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp).
 */
export const tracesUrl = (endpoint: string): string => {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
};

const contextOf = ({ traceId, spanId }: TraceParent) =>
  tracing.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });

/** Opening a connection is enough; the first batch shows any other problem. */
function checkReachable(url: string, guard: Guard, onAway: (error: unknown) => void): void {
  const refused = guard.refusalOf(hostOf(url));
  if (refused !== null) return onAway(refused);
  const { port, protocol } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  const socket = connect({
    host: hostOf(url),
    lookup: guard.lookup,
    port: port === '' ? standard : Number(port),
    timeout: connectTimeoutMs,
  });
  socket.unref();
  socket.on('connect', () => socket.destroy());
  socket.on('timeout', () => socket.destroy(new Error(`no connection in ${connectTimeoutMs} ms`)));
  socket.on('error', onAway);
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  await Promise.race([work.catch(() => {}), limit.promise]);
  clearTimeout(timer);
}
