// Starts a model server that can go down and come back at the same address, and a control plane
// that accepts only registrations.

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { completion } from './upstream.ts';

type Test = Pick<TestContext, 'after'>;

const bound = z.object({ port: z.int() });

/** Port 0 means any free port. Returns the port. */
async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return bound.parse(server.address()).port;
}

function end(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}

export type Engine = Readonly<{
  apiBase: string;
  port: number;
  /** The number of model list requests. */
  asked: () => number;
  stop: () => Promise<void>;
  start: () => Promise<void>;
}>;

type EngineOptions = Readonly<{ model?: string; owner?: string }>;

export async function startEngine(
  test: Test,
  { model = 'm', owner = 'vllm' }: EngineOptions = {},
): Promise<Engine> {
  let asked = 0;
  const list = { object: 'list', data: [{ id: model, object: 'model', owned_by: owner }] };
  const make = (): Server =>
    createServer((request, response) => {
      asked += 1;
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (request.url === '/v1/models') response.end(JSON.stringify(list));
      else if (request.url === '/v1/chat/completions') response.end(JSON.stringify(completion));
      else response.writeHead(404).end('{}');
    });
  let server = make();
  const port = await listen(server, 0);
  const stop = () => end(server);
  test.after(stop);
  return {
    apiBase: `http://127.0.0.1:${port}/v1`,
    port,
    asked: () => asked,
    stop,
    start: async () => {
      server = make();
      await listen(server, port);
    },
  };
}

const body = z.strictObject({
  api_base: z.string(),
  node: z.string(),
  name: z.string(),
  engine: z.string().optional(),
  ttl_seconds: z.int(),
});
export type Registered = z.output<typeof body>;

export type RegistrationServer = Readonly<{
  url: string;
  /** The registrations in order, as received. */
  seen: readonly Registered[];
  tokens: ReadonlySet<string>;
  /** Sets all further answers; null accepts registrations. */
  answerWith: (answer: RegistrationAnswer | null) => void;
  stop: () => Promise<void>;
  start: () => Promise<void>;
}>;

export type RegistrationAnswer = Readonly<{
  status: number;
  text: string;
  headers?: Readonly<Record<string, string>>;
}>;

export async function startRegistrationServer(test: Test): Promise<RegistrationServer> {
  const seen: Registered[] = [];
  const tokens = new Set<string>();
  let answer: RegistrationAnswer | null = null;
  const make = (): Server =>
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url !== '/admin/providers/register' || request.method !== 'POST') {
          return void response.writeHead(404).end('{}');
        }
        tokens.add(request.headers.authorization ?? '');
        const asked = body.parse(JSON.parse(Buffer.concat(chunks).toString()));
        seen.push(asked);
        if (answer !== null) {
          return void response.writeHead(answer.status, answer.headers).end(answer.text);
        }
        const { api_base, name } = asked;
        const id = [...new Set(seen.map((one) => one.api_base))].indexOf(api_base) + 1;
        const record = { id, api_base, name, kind: 'dynamic', leased: true };
        response.end(JSON.stringify(record));
      });
    });
  let server = make();
  const port = await listen(server, 0);
  const stop = () => end(server);
  test.after(stop);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    tokens,
    answerWith: (next) => (answer = next),
    stop,
    start: async () => {
      server = make();
      await listen(server, port);
    },
  };
}
