// Builds the response of one chat from the frames of the playground, which carry its status, headers and stream.

import { createFrameReader } from '../../../ui/api/http/event-frames.ts';
import type { Frame } from '../../../ui/api/http/event-frames.ts';

export type ChatAnswer = Readonly<{
  /** Null until the response starts. */
  status: number | null;
  headers: Readonly<Record<string, string>>;
  text: string;
  reasoning: string;
  finishReason: string | null;
  /** Null if the model reported none. */
  usage: Readonly<{ prompt: number; completion: number }> | null;
  /** The error of the gateway, or why the stream broke off. */
  error: string | null;
  isWhole: boolean;
}>;

export const noAnswer: ChatAnswer = {
  status: null,
  headers: {},
  text: '',
  reasoning: '',
  finishReason: null,
  usage: null,
  error: null,
  isWhole: false,
};

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
const textIn = (value: unknown, name: string): string => {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
};
const countIn = (value: unknown, name: string): number => Number(member(value, name) ?? 0);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Takes frames in order and returns the response so far. */
export function createAnswerReader(): (frame: Frame) => ChatAnswer {
  const readFrames = createFrameReader();
  let answer = noAnswer;
  let body = '';
  const isStream = (): boolean =>
    (answer.headers['content-type'] ?? '').startsWith('text/event-stream');

  return ({ event, data }) => {
    const value = parsed(data);
    if (event === 'head') {
      answer = { ...answer, status: countIn(value, 'status'), headers: headersIn(value) };
    } else if (event === 'text' && typeof value === 'string') {
      if (isStream()) for (const frame of readFrames(value)) answer = withChunk(answer, frame.data);
      else body += value;
    } else if (event === 'broken') {
      answer = { ...answer, error: textIn(value, 'message'), isWhole: true };
    } else if (event === 'end') {
      answer = { ...(isStream() ? answer : withBody(answer, body)), isWhole: true };
    }
    return answer;
  };
}

const headersIn = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Object(member(value, 'headers'))).map(([name, text]) => [name, String(text)]),
  );

/** One chunk of a streamed completion. */
function withChunk(answer: ChatAnswer, data: string): ChatAnswer {
  const chunk = parsed(data);
  const error = member(chunk, 'error');
  if (error !== undefined) return { ...answer, error: textIn(error, 'message') };
  const choice = member(member(chunk, 'choices'), '0');
  const delta = member(choice, 'delta');
  return {
    ...answer,
    text: answer.text + textIn(delta, 'content'),
    reasoning: answer.reasoning + textIn(delta, 'reasoning_content'),
    finishReason: textIn(choice, 'finish_reason') || answer.finishReason,
    usage: usageIn(chunk) ?? answer.usage,
  };
}

/** Not a stream: a refusal or a complete completion. */
function withBody(answer: ChatAnswer, body: string): ChatAnswer {
  const value = parsed(body);
  const message = textIn(member(value, 'error'), 'message');
  if (message !== '') return { ...answer, error: message };
  if ((answer.status ?? 0) >= 400) return { ...answer, error: body.trim() || 'no details' };
  const choice = member(member(value, 'choices'), '0');
  return {
    ...answer,
    text: textIn(member(choice, 'message'), 'content'),
    finishReason: textIn(choice, 'finish_reason') || null,
    usage: usageIn(value),
  };
}

function usageIn(value: unknown): ChatAnswer['usage'] {
  const usage = member(value, 'usage');
  if (typeof usage !== 'object' || usage === null) return null;
  return {
    prompt: countIn(usage, 'prompt_tokens'),
    completion: countIn(usage, 'completion_tokens'),
  };
}
