// Builds streams of the Messages API event by event, as the vendor sends them: named and padded
// with spaces.

export type Event = Readonly<{ type: string }> & Readonly<Record<string, unknown>>;

export const frame = (event: Event): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}       \n\n`;

export const bytesOf = (...events: readonly (Event | string)[]): Buffer =>
  Buffer.from(events.map((event) => (typeof event === 'string' ? event : frame(event))).join(''));

export const start = (usage: object = { input_tokens: 11, output_tokens: 1 }): Event => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-answering',
    content: [],
    stop_reason: null,
    usage,
  },
});

export const ping: Event = { type: 'ping' };
export const open = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const delta = (index: number, type: string, more: object): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type, ...more },
});
export const close = (index: number): Event => ({ type: 'content_block_stop', index });

export const textBlock = (index: number, ...texts: readonly string[]): readonly Event[] => [
  open(index, { type: 'text', text: '' }),
  ...texts.map((text) => delta(index, 'text_delta', { text })),
  close(index),
];

export const thought = (index: number, ...texts: readonly string[]): readonly Event[] => [
  open(index, { type: 'thinking', thinking: '', signature: '' }),
  ...texts.map((thinking) => delta(index, 'thinking_delta', { thinking })),
  delta(index, 'signature_delta', { signature: 'EoQDCm0IDhgC' }),
  close(index),
];

export const called = (
  index: number,
  [id, name]: readonly [string, string],
  ...pieces: readonly string[]
): readonly Event[] => [
  open(index, { type: 'tool_use', id, name, input: {} }),
  ...pieces.map((partial_json) => delta(index, 'input_json_delta', { partial_json })),
  close(index),
];

export const ended = (
  stop_reason: string,
  usage: object = { output_tokens: 9 },
): readonly Event[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];

/** A stream with every kind of event, and characters of every width. */
export const everything: Buffer = bytesOf(
  start({ input_tokens: 3, cache_read_input_tokens: 8, cache_creation_input_tokens: 0 }),
  ...thought(0, 'Größe ', '', '考える😀'),
  ping,
  open(1, { type: 'redacted_thinking', data: 'EmwKAhgBEgy' }),
  close(1),
  ...textBlock(2, 'Let me ', 'see…\n'),
  open(3, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
  delta(3, 'input_json_delta', { partial_json: '{"query":"x"}' }),
  close(3),
  open(4, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
  close(4),
  ': a comment\n\n',
  ...called(5, ['toolu_1', 'weather'], '', '{"city":', '"Zürich 🏔"}'),
  ...called(6, ['toolu_2', 'time'], ''),
  { type: 'tomorrow', index: 7 },
  delta(2, 'citations_delta', { citation: { type: 'char_location', cited_text: 'x' } }),
  ...ended('tool_use', { input_tokens: 2400, output_tokens: 77 }),
);
