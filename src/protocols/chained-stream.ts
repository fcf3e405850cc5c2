// Translates a stream twice: from the backend's protocol to chat, and from chat to the client's
// API.

import type { UsageReport } from '../usage/counts.ts';
import type { TranslatedStream } from './translation.ts';

export const chained = (chat: TranslatedStream, last: TranslatedStream): TranslatedStream =>
  new ChainedStream(chat, last);

/** Usage and completion are known to the translation that reads the backend. */
class ChainedStream implements TranslatedStream {
  readonly #chat: TranslatedStream;
  readonly #last: TranslatedStream;

  constructor(chat: TranslatedStream, last: TranslatedStream) {
    this.#chat = chat;
    this.#last = last;
  }

  get isClean(): boolean {
    return this.#chat.isClean;
  }

  get usage(): UsageReport | null {
    return this.#chat.usage;
  }

  get failedStatus(): number | null {
    return this.#chat.failedStatus ?? this.#last.failedStatus;
  }

  get failedBody(): Buffer | null {
    return this.#last.failedBody;
  }

  push(chunk: Buffer): Buffer {
    return this.#last.push(this.#chat.push(chunk));
  }

  end(): Buffer {
    return Buffer.concat([this.#last.push(this.#chat.end()), this.#last.end()]);
  }
}
