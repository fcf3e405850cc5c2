// Serves a demo provider for `gw dev` on loopback, with one model that answers with a fixed text.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { z } from 'zod';

export const demoModel = 'demo';

export type DemoProvider = Readonly<{
  /** The `api_base` of the provider. */
  apiBase: string;
  port: number;
  close: () => Promise<void>;
}>;

const bodyBytesMax = 1024 * 1024;
const createdAt = 1_767_225_600;

/** Port 0 is any free port. Rejects with `EADDRINUSE` if the port is taken. */
export async function startDemoProvider({ port }: { port: number }): Promise<DemoProvider> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  server.off('error', reject);
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    apiBase: `http://127.0.0.1:${listening}/v1`,
    port: listening,
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET' && request.url === '/v1/models') {
    const model = { id: demoModel, object: 'model', created: createdAt, owned_by: 'gw' };
    return sendJson(response, 200, { object: 'list', data: [model] });
  }
  if (request.method === 'POST' && request.url === '/v1/chat/completions') {
    const chat = chatRequest.safeParse(await readJson(request));
    if (!chat.success) return sendJson(response, 400, errorBody('messages must be a list'));
    return chat.data.stream ? streamReply(response, chat.data) : sendReply(response, chat.data);
  }
  return sendJson(
    response,
    404,
    errorBody('the demo provider serves /models and /chat/completions'),
  );
}

const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(z.object({ text: z.string().default('') }))]).nullish(),
});
const chatRequest = z.object({
  messages: z.array(message),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean().default(false) }).nullish(),
});
type ChatRequest = z.output<typeof chatRequest>;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}

const errorBody = (text: string) => ({ error: { message: text, type: 'invalid_request_error' } });

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const shownCharactersMax = 200;

function textOf(content: z.output<typeof message>['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text).join(' ');
}

/** Equal requests get equal answers. */
function replyText({ messages }: ChatRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  const asked = textOf(last?.content).slice(0, shownCharactersMax);
  return `Hello from gw! The demo model read: "${asked}". Add a provider to talk to a real one.`;
}

/** About four characters per token, as everywhere in gw. */
const tokensIn = (text: string): number => Math.ceil(text.length / 4);

function usageOf({ messages }: ChatRequest, text: string) {
  const promptTokens = tokensIn(messages.map(({ content }) => textOf(content)).join(''));
  const completionTokens = tokensIn(text);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

const envelope = (object: string) => ({
  id: 'chatcmpl-demo',
  object,
  created: createdAt,
  model: demoModel,
});

function sendReply(response: ServerResponse, request: ChatRequest): void {
  const content = replyText(request);
  sendJson(response, 200, {
    ...envelope('chat.completion'),
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: usageOf(request, content),
  });
}

const choice = (delta: unknown, finishReason: string | null) => ({
  ...envelope('chat.completion.chunk'),
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

function streamReply(response: ServerResponse, request: ChatRequest): void {
  const text = replyText(request);
  const send = (data: unknown): void => {
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  send(choice({ role: 'assistant', content: '' }, null));
  for (const word of text.split(/(?<= )/)) send(choice({ content: word }, null));
  send(choice({}, 'stop'));
  if (request.stream_options?.include_usage === true) {
    send({ ...envelope('chat.completion.chunk'), choices: [], usage: usageOf(request, text) });
  }
  response.end('data: [DONE]\n\n');
}
