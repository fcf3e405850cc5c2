// Chooses how the answer of a backend is translated to the Messages API (specification, "Data
// plane": /v1/messages). Answers of other protocols are translated to chat first. Answers of
// backends that speak the Messages API are forwarded unread.

import { chained } from '../chained-stream.ts';
import type { AnswerTranslation } from '../translation.ts';
import { NativeStream } from './native-stream.ts';
import { messageAnswer } from './response.ts';
import type { MessageOptions } from './response.ts';
import { openMessageStream } from './stream.ts';

/** For backends that speak chat. */
export const messagesOfChat = (options: MessageOptions): AnswerTranslation => ({
  translateResponse: (status, body) => messageAnswer(status, body, options),
  openStream: () => openMessageStream(options),
});

/** For backends whose answers `chat` translates to chat. */
export const messagesOver = (
  chat: AnswerTranslation,
  options: MessageOptions,
): AnswerTranslation => ({
  translateResponse(status, body, answerOptions) {
    const answer = chat.translateResponse(status, body, answerOptions);
    const { usage } = answer;
    return { ...messageAnswer(answer.status, answer.body, options), usage };
  },
  openStream(streamOptions) {
    const stream = chat.openStream(streamOptions);
    return chained(
      stream,
      openMessageStream(options, () => stream.failedStatus),
    );
  },
});

/** For backends that speak the Messages API. */
export const messagesAsTheyAre = (options: MessageOptions): AnswerTranslation => ({
  translateResponse: (status, body) => messageAnswer(status, body, options),
  openStream: () => new NativeStream(options.requestId),
});
