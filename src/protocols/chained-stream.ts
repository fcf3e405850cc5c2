// The stream of a backend that is read as a chat, and told in the words of the client's API.

import type { TranslatedStream, TranslatedUsage } from './translation.ts';

export const chained = (chat: TranslatedStream, last: TranslatedStream): TranslatedStream =>
  new ChainedStream(chat, last);

/** What counts and whether it ended well is known by the one that reads the backend. */
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

  get usage(): TranslatedUsage | null {
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
