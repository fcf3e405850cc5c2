// Translates a streamed chat completion to the events of a message (specification, "Data plane":
// /v1/messages; wire reference 1.6).

import type { UsageReport } from '../../usage/counts.ts';
import { openChatStream } from '../openai/chat-stream.ts';
import type { ContentKind, ChatWriter } from '../openai/chat-stream.ts';
import type { JsonObject } from '../json.ts';
import type { TranslatedStream } from '../translation.ts';
import { BlockWriter } from './block-writer.ts';
import { errorText } from './error.ts';
import { errorEvent, messageEnd, messageStart, ping } from './message-events.ts';
import type { CallPiece } from '../openai/read-calls.ts';
import { messageId } from './response.ts';
import type { MessageOptions } from './response.ts';
import { stopOf } from './stop-reason.ts';

export const openMessageStream = (
  options: MessageOptions,
  statusOf?: () => number | null,
): TranslatedStream => openChatStream(new MessageWriter(options), statusOf);

class MessageWriter implements ChatWriter {
  readonly #options: MessageOptions;
  readonly #blocks: BlockWriter;
  #isRefused = false;

  constructor(options: MessageOptions) {
    this.#options = options;
    this.#blocks = new BlockWriter(options.requestId);
  }

  get isOverflown(): boolean {
    return this.#blocks.isOverflown;
  }

  begin(chatId: string | null): string {
    const { requestId, model } = this.#options;
    return messageStart(messageId(chatId, requestId), model) + ping;
  }

  content(kind: ContentKind, text: string): string {
    if (kind === 'refusal' && text !== '') this.#isRefused = true;
    return this.#blocks.content(kind === 'thinking' ? kind : 'text', text);
  }

  call(piece: CallPiece): string {
    return this.#blocks.call(piece);
  }

  finish(choice: JsonObject | null, usage: UsageReport | null): string {
    const before = this.#blocks.end();
    const stop = stopOf(choice ?? {}, {
      hasToolCalls: this.#blocks.hasCalls,
      isRefused: this.#isRefused,
      stopSequences: this.#options.stopSequences,
    });
    return before + messageEnd(stop, usage);
  }

  fail(status: number, message: string): Readonly<{ event: string; body: string }> {
    const body = errorText(status, message, this.#options.requestId);
    return { event: errorEvent(body), body };
  }
}
