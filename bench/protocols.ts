// Measures the translation for backends of another protocol, without sockets: `node bench/protocols.ts [--quick]`. It
// translates a request, a whole answer of 4 KB, and an event of a stream.

import { readChat } from '../src/protocols/read-chat.ts';
import { protocol } from '../src/lib/vocabulary.ts';
import type { Protocol } from '../src/lib/vocabulary.ts';
import { translations } from '../src/protocols/protocol.ts';
import { measuredOfMessages } from './protocols-messages.ts';
import type { Measured } from './protocols-messages.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 5 : 15;
const roundMs = quick ? 20 : 100;

const sentence = 'The quick brown fox jumps over the lazy dog, and says “why”. ';
const options = {
  requestId: 'request-1',
  model: 'model',
  created: 1_700_000_000,
  singleToolCall: false,
};

const tools = Array.from({ length: 4 }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool_${index}`,
    description: sentence.repeat(2),
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}));
const chat = {
  model: 'house',
  max_tokens: 1000,
  temperature: 0.3,
  tools,
  messages: [
    { role: 'system', content: sentence.repeat(10) },
    ...Array.from({ length: 8 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: sentence.repeat(3),
    })),
    { role: 'user', content: [{ type: 'text', text: sentence.repeat(5) }] },
  ],
};

type Recording = Readonly<{ answer: string; events: readonly string[] }>;

const event = (type: string, more: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}          \n\n`;

/** A whole answer of about 4 KB, and a stream of 200 events, most of which are text. */
const messages: Recording = {
  answer: JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'model',
    content: [
      { type: 'text', text: sentence.repeat(50) },
      { type: 'tool_use', id: 'toolu_1', name: 'tool_1', input: { list: Array(60).fill('word') } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 900, cache_read_input_tokens: 800, output_tokens: 700 },
  }),
  events: [
    event('message_start', {
      message: { id: 'msg_1', model: 'model', usage: { input_tokens: 900 } },
    }),
    ...Array.from({ length: 198 }, () =>
      event('content_block_delta', {
        index: 0,
        delta: { type: 'text_delta', text: ' quick brown fox' },
      }),
    ),
    event('message_stop'),
  ],
};

const content = (parts: readonly object[], more: object = {}): string =>
  JSON.stringify({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    usageMetadata: {
      promptTokenCount: 900,
      candidatesTokenCount: 700,
      totalTokenCount: 1600,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 900 }],
    },
    modelVersion: 'model',
    responseId: 'answer-1',
  });

/** The same for generateContent, whose events are longer and have no names. */
const contents: Recording = {
  answer: content(
    [
      { text: sentence.repeat(50) },
      { functionCall: { name: 'tool_1', args: { list: Array(50).fill('word') } } },
    ],
    { finishReason: 'STOP' },
  ),
  events: [
    ...Array.from(
      { length: 199 },
      () => `data: ${content([{ text: ' quick brown fox' }])}\r\n\r\n`,
    ),
    `data: ${content([{ text: '' }], { finishReason: 'STOP' })}\r\n\r\n`,
  ],
};

const recordings: Readonly<Partial<Record<Protocol, Recording>>> = {
  anthropic: messages,
  gemini: contents,
};

function measuredOf(name: Protocol): readonly Measured[] {
  const translation = translations[name];
  const recorded = recordings[name];
  if (translation === undefined || recorded === undefined) return [];
  const body = Buffer.from(JSON.stringify(chat));
  const answer = Buffer.from(recorded.answer);
  const chunks = recorded.events.map((one) => Buffer.from(one));
  const whole = Buffer.concat(chunks);
  const streamOf = (pieces: readonly Buffer[]) => (): void => {
    const stream = translation.openStream({ ...options, includesUsage: true });
    for (const piece of pieces) stream.push(piece);
    stream.end();
    if (!stream.isClean) throw new Error('the stream was not clean');
  };
  return [
    {
      what: `${name}: request of ${body.length} bytes`,
      boundMicros: null,
      perRun: 1,
      run: () => {
        const read = readChat(body, name);
        if ('refused' in read) throw new Error(read.message);
        translation.translateRequest(read, 'model', { basePath: '', defaultMaxTokens: null });
      },
    },
    {
      what: `${name}: answer of ${answer.length} bytes`,
      boundMicros: 60,
      perRun: 1,
      run: () => void translation.translateResponse(200, answer, options),
    },
    {
      what: `${name}: event, one a chunk`,
      boundMicros: 5,
      perRun: chunks.length,
      run: streamOf(chunks),
    },
    {
      what: `${name}: event, all in one chunk`,
      boundMicros: 5,
      perRun: chunks.length,
      run: streamOf([whole]),
    },
  ];
}

const measured = [
  ...protocol.options.flatMap(measuredOf),
  ...measuredOfMessages(messages.events, { ...options, includesUsage: true }),
];

/** CPU time of a run in microseconds, because other work may share the core. The measured functions take turns. */
const times = new Map<string, number[]>(measured.map(({ what }) => [what, []]));
for (let round = 0; round < rounds; round++) {
  for (const { what, run, perRun } of measured) {
    const stop = performance.now() + roundMs;
    const start = process.cpuUsage();
    let runs = 0;
    while (performance.now() < stop) {
      for (let turn = 0; turn < 10; turn++) run();
      runs += 10;
    }
    const { user, system } = process.cpuUsage(start);
    times.get(what)?.push((user + system) / runs / perRun);
  }
}
for (const { what, boundMicros } of measured) {
  const sorted = (times.get(what) ?? []).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const bound = boundMicros === null ? '' : ` (bound ${boundMicros})`;
  console.log(`${what.padEnd(40)} ${median.toFixed(2)} µs${bound}`);
}
