// Runs a chat with the gateway: earlier turns, the current response and its timing.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { asFailure } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { askPlayground } from './ask.ts';
import type { Chat as PlaygroundChat } from './ask.ts';
import { createAnswerReader, noAnswer } from './chat-answer.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { messagesOf, promptAgain, turnsWith } from './chat-turns.ts';
import type { Turn } from './chat-turns.ts';

export type Timing = Readonly<{ firstMs: number | null; wholeMs: number | null }>;

/** Null leaves the parameter to the model. */
export type Parameters = Readonly<{ temperature: number | null; max_tokens: number | null }>;

export type Message = Readonly<{ key: string; model: string; system: string; prompt: string }> &
  Parameters;

const untimed: Timing = { firstMs: null, wholeMs: null };

export class Chat implements ReactiveController {
  /** The last response is `answer`. */
  turns: readonly Turn[] = [];
  answer: ChatAnswer = noAnswer;
  timing: Timing = untimed;
  /** For a failure of the control plane; a refusal of the gateway is a response. */
  failure: ApiFailure | null = null;
  readonly #host: ReactiveControllerHost;
  #asking: AbortController | null = null;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.stop();
  }

  get isAsking(): boolean {
    return this.#asking !== null;
  }

  readonly stop = (): void => this.#asking?.abort();

  readonly forget = (): void => {
    this.turns = [];
    this.answer = noAnswer;
    this.timing = untimed;
    this.#host.requestUpdate();
  };

  /** Resolves when the request is answered, refused or stopped. */
  async send({ key, model, system, prompt, ...parameters }: Message): Promise<void> {
    const { turns, answer } = this;
    this.turns = turnsWith({ turns, answer: answer.text, prompt });
    const asking = new AbortController();
    this.#asking = asking;
    this.answer = noAnswer;
    this.timing = untimed;
    this.failure = null;
    this.#host.requestUpdate();
    try {
      const messages = [...messagesOf(system, this.turns)];
      await this.#ask({ key, model, messages, ...parameters }, asking.signal);
    } catch (error) {
      if (!asking.signal.aborted) this.failure = asFailure(error);
    }
    this.#asking = null;
    this.#host.requestUpdate();
  }

  /** An unanswered message can be sent again. */
  promptAgain(prompt: string): string {
    return promptAgain({ turns: this.turns, answer: this.answer.text, prompt });
  }

  async #ask(chat: PlaygroundChat, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const sinceMs = (): number => Math.round(performance.now() - startedAt);
    const read = createAnswerReader();
    for await (const frame of askPlayground(chat, signal)) {
      this.answer = read(frame);
      const isFirst = this.timing.firstMs === null && this.answer.text !== '';
      if (isFirst) this.timing = { ...this.timing, firstMs: sinceMs() };
      this.#host.requestUpdate();
    }
    this.timing = { ...this.timing, wholeMs: sinceMs() };
  }
}
