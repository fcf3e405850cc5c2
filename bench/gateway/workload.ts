// Defines the work of every candidate: the request bodies and the answer bytes. Both are made once, so that neither
// the load generator nor the upstream spends time on them.

export const workloadNames = [
  'json-1k',
  'json-32k',
  'code-32k',
  'sse-50',
  'sse-paced',
  'cache-hit',
] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** The kind of answer; the first segment of the upstream's paths. */
export type AnswerKind = 'json' | 'sse' | 'paced' | 'cached';

export const isStreamed = (kind: AnswerKind): boolean => kind === 'sse' || kind === 'paced';

export type Workload = Readonly<{
  name: WorkloadName;
  kind: AnswerKind;
  requestBytes: number;
  /** The text of the prompt. */
  text: keyof typeof texts;
  connections: number;
}>;

/** A prompt of a person, and one with source code, of which every sixth byte is escaped in JSON. */
const texts = {
  prose: 'You are a "helpful" assistant\nwho knows geography well. ',
  code: 'function f(x) {\n\tconst s = "a\\"b";\n\treturn s + `${x}`; // "quoted"\n}\n',
} as const;

export const workloads: readonly Workload[] = [
  { name: 'json-1k', kind: 'json', requestBytes: 1024, text: 'prose', connections: 64 },
  { name: 'json-32k', kind: 'json', requestBytes: 32 * 1024, text: 'prose', connections: 64 },
  { name: 'code-32k', kind: 'json', requestBytes: 32 * 1024, text: 'code', connections: 64 },
  { name: 'sse-50', kind: 'sse', requestBytes: 1024, text: 'prose', connections: 64 },
  { name: 'sse-paced', kind: 'paced', requestBytes: 1024, text: 'prose', connections: 256 },
  { name: 'cache-hit', kind: 'cached', requestBytes: 1024, text: 'prose', connections: 64 },
];

/** A chat request of exactly `requestBytes` bytes, as a client library sends it. */
export function requestBody(workload: Workload, model: string): Buffer {
  const write = (padding: string): string =>
    JSON.stringify({
      model,
      messages: [
        { role: 'system', content: padding },
        { role: 'user', content: 'What is the capital of France? Answer in one word.' },
      ],
      max_tokens: 256,
      temperature: 0.2,
      stream: isStreamed(workload.kind),
    });
  const paddingBytes = workload.requestBytes - Buffer.byteLength(write(''));
  const text = texts[workload.text];
  const escapedBytes = Buffer.byteLength(JSON.stringify(text)) - 2;
  const padding = text.repeat(Math.floor(paddingBytes / escapedBytes));
  return Buffer.from(write(padding + '.'.repeat(paddingBytes % escapedBytes)));
}

const usage = { prompt_tokens: 240, completion_tokens: 49, total_tokens: 289 };
const base = { id: 'chatcmpl-bench', created: 1_750_000_000, model: 'upstream-model' };

const jsonBody = JSON.stringify({
  ...base,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Paris is the capital of France. '.repeat(24).trim() },
      finish_reason: 'stop',
    },
  ],
  usage,
});

export const streamEvents = 50;

/** The last event before `[DONE]` contains the usage, as when a client requests it. */
const sseEvents: readonly string[] = Array.from({ length: streamEvents }, (_, index) => {
  const isLast = index === streamEvents - 1;
  const choice = { index: 0, delta: { content: ` word-${index}` }, finish_reason: null };
  const event = {
    ...base,
    object: 'chat.completion.chunk',
    choices: isLast ? [] : [choice],
    ...(isLast ? { usage } : {}),
  };
  return `data: ${JSON.stringify(event)}\n\n`;
}).concat('data: [DONE]\n\n');

/** The body of an answer, without its framing. */
export const answerBody = (kind: AnswerKind): Buffer =>
  Buffer.from(isStreamed(kind) ? sseEvents.join('') : jsonBody);

/** The interval between the events of a paced stream. */
export const paceMs = 20;

/** An answer as sent over the wire, in the pieces that are written at once. Each event of a stream is a chunk. */
export function answerOnWire(kind: AnswerKind): readonly Buffer[] {
  if (!isStreamed(kind)) {
    const length = Buffer.byteLength(jsonBody);
    const head = `content-type: application/json\r\ncontent-length: ${length}\r\n`;
    return [Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n${jsonBody}`)];
  }
  const head = 'content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n';
  const chunks = sseEvents.map(
    (event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`,
  );
  const pieces = [`HTTP/1.1 200 OK\r\n${head}\r\n${chunks[0]}`, ...chunks.slice(1), '0\r\n\r\n'];
  const written = kind === 'paced' ? pieces : [pieces.join('')];
  return written.map((piece) => Buffer.from(piece));
}
