// Runs an OTLP/HTTP collector on a socket and keeps the spans that it receives, in their JSON form
// (https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto).

import { createServer } from 'node:http';

import { z } from 'zod';

const attribute = z.object({
  key: z.string(),
  value: z.union([
    z.object({ stringValue: z.string() }).transform((value) => value.stringValue),
    z.object({ boolValue: z.boolean() }).transform((value) => value.boolValue),
    z
      .object({ intValue: z.union([z.number(), z.string()]) })
      .transform((value) => Number(value.intValue)),
  ]),
});

const attributes = z
  .array(attribute)
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));

const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  status: z.object({ code: z.int() }),
});

const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export type SeenSpan = z.output<typeof span> &
  Readonly<{ resource: Readonly<Record<string, unknown>> }>;

export type Collector = Readonly<{
  endpoint: string;
  spans: SeenSpan[];
  /** The request bodies as received. */
  bodies: string[];
  /** Sets the status of all further responses. */
  answer: (status: number) => void;
  /** Delays responses until the returned function is called. */
  hold: () => () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
}>;

export async function startCollector(port = 0): Promise<Collector> {
  const spans: SeenSpan[] = [];
  const bodies: string[] = [];
  let status = 200;
  let held: Promise<void> = Promise.resolve();
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      bodies.push(text);
      if (incoming.url !== '/v1/traces' || incoming.method !== 'POST') status = 404;
      if (status === 200) spans.push(...readSpans(text));
      const answered = status;
      void held.then(() => response.writeHead(answered).end('{}'));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${bound}`,
    spans,
    bodies,
    answer: (next) => (status = next),
    hold: () => {
      const release = Promise.withResolvers<void>();
      held = release.promise;
      return release.resolve;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const readSpans = (text: string): readonly SeenSpan[] =>
  request
    .parse(JSON.parse(text))
    .resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((one) => ({ ...one, resource: resource.attributes })),
      ),
    );
