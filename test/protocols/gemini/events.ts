// Builds answers of generateContent part by part, and streams of them as the vendor sends them.

export type Event = Readonly<Record<string, unknown>>;
type Part = Readonly<Record<string, unknown>>;

export const textPart = (text: string): Part => ({ text });
export const thought = (text: string): Part => ({ text, thought: true });
export const called = (name: string, args?: unknown, more: object = {}): Part => ({
  functionCall: { name, ...(args !== undefined && { args }), ...more },
});
export const signed = (part: Part, thoughtSignature: string): Part => ({
  ...part,
  thoughtSignature,
});

/** One candidate with these parts. `more` holds its other members, such as the finish reason. */
export const answer = (parts: readonly Part[], more: object = {}, usage?: object): Event => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  ...(usage !== undefined && { usageMetadata: usage }),
  modelVersion: 'gemini-answering',
  responseId: 'answer-1',
});

export const stopped = { finishReason: 'STOP' };

export const frame = (event: Event): string => `data: ${JSON.stringify(event)}\r\n\r\n`;

export const bytesOf = (...events: readonly (Event | string)[]): Buffer =>
  Buffer.from(events.map((event) => (typeof event === 'string' ? event : frame(event))).join(''));

/** A stream with every kind of part, and characters of every width. */
export const everything: Buffer = Buffer.from(
  bytesOf(
    answer([thought('Größe ')], {}, { trafficType: 'ON_DEMAND' }),
    answer([thought(''), thought('考える😀'), textPart('Let me ')], {}, { promptTokenCount: 55 }),
    ': a comment\r\n\r\n',
    answer([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }, textPart('see…\n')]),
    answer([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } }]),
    answer([signed(called('weather', { city: 'Zürich 🏔' }), 'c2lnbmF0dXJl'), called('time')]),
    { tomorrow: [{ x: 1 }] },
    answer([called('zone', {}, { id: '96c1su3s' })], { safetyRatings: [] }),
    answer([textPart('')], stopped, {
      promptTokenCount: 257,
      cachedContentTokenCount: 8,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 57,
    }),
  )
    .toString()
    .replaceAll('\r\n', '\n'),
);
