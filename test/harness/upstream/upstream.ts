// Runs a scripted upstream: it records each request and answers it with the test's script.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  /** Names and values as received. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The gateway closed the connection before the response was complete. */
  isAborted: boolean;
};

export type Script = (request: SeenRequest, response: ServerResponse) => void;

export type ScriptedUpstream = Readonly<{
  /** Ends with /v1, as an API base does. */
  apiBase: string;
  seen: SeenRequest[];
  /** Replaces the script for all further requests. */
  play: (script: Script) => void;
  [Symbol.asyncDispose]: () => Promise<void>;
}>;

export async function startUpstream(first: Script): Promise<ScriptedUpstream> {
  const seen: SeenRequest[] = [];
  let script = first;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const record: SeenRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        rawHeaders: request.rawHeaders,
        headers: request.headers,
        body: Buffer.concat(chunks),
        isAborted: false,
      };
      response.on('close', () => (record.isAborted = !response.writableFinished));
      seen.push(record);
      script(record, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    apiBase: `http://127.0.0.1:${port}/v1`,
    seen,
    play: (next) => (script = next),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An address at which nothing listens. */
export async function unusedApiBase(): Promise<string> {
  const upstream = await startUpstream(() => {});
  await upstream[Symbol.asyncDispose]();
  return upstream.apiBase;
}

export const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export const completion = {
  id: 'c-1',
  object: 'chat.completion',
  created: 1,
  model: 'upstream',
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello there' } },
  ],
  usage,
};

export const answerJson =
  (
    value: unknown = completion,
    status = 200,
    headers: Readonly<Record<string, string>> = {},
  ): Script =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };

export const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

export const delta = (content: string): string =>
  frame({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  });

const usageFrame = frame({
  id: 'c-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'upstream',
  choices: [],
  usage,
});

/** Streams these words, with a usage frame if requested. */
export const answerStream =
  (words: readonly string[]): Script =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of words) response.write(delta(word));
    if (request.body.includes('"include_usage":true')) response.write(usageFrame);
    response.end('data: [DONE]\n\n');
  };
