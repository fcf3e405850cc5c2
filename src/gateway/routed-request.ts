// A request as routing asks about it: what the peek found, and what is looked up only when a rule
// or a policy wants to know.

import type { Clock } from '../lib/clock.ts';
import type { PromptClassId } from '../lib/ids.ts';
import type { RoutedRequest } from '../routing/request.ts';
import { hashBytes } from '../routing/hash.ts';
import type { Classifier, Unclassified } from './classifier.ts';
import { conversationKey } from './conversation.ts';
import type { Peeked } from './peek.ts';
import { noteClass } from './traced.ts';
import type { Exchange } from './transport/boundary.ts';

type Dependencies = Readonly<{ classifier: Classifier; now: Clock }>;

/** A promise only when another thread is asked for the class of the prompt. */
export function routedRequest(
  { classifier, now }: Dependencies,
  exchange: Exchange,
  request: Unclassified,
): PeekedRequest | Promise<PeekedRequest> {
  const { snapshot, peeked, body } = request;
  const { prefix_bytes: prefixBytes } = snapshot.tuning;
  const classed = (promptClass: PromptClassId | null): PeekedRequest => {
    noteClass(exchange, snapshot, promptClass);
    return new PeekedRequest(exchange, peeked, body, { nowMs: now(), prefixBytes, promptClass });
  };
  const found = classifier.classOf(request);
  return found instanceof Promise ? found.then(classed) : classed(found);
}

type Facts = Readonly<{ nowMs: number; prefixBytes: number; promptClass: PromptClassId | null }>;

class PeekedRequest implements RoutedRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly promptEstimate: number;
  readonly maxTokens: number | null;
  readonly promptClass: PromptClassId | null;
  readonly nowMs: number;
  readonly #exchange: Pick<Exchange, 'anyHeader'>;
  readonly #body: Buffer;
  readonly #peeked: Peeked;
  readonly #prefixBytes: number;
  #conversationKey = -1;

  constructor(
    exchange: Pick<Exchange, 'anyHeader'>,
    peeked: Peeked,
    body: Buffer,
    { nowMs, prefixBytes, promptClass }: Facts,
  ) {
    this.model = peeked.model;
    this.isStream = peeked.isStream;
    this.promptEstimate = peeked.promptEstimate;
    this.maxTokens = peeked.maxTokens;
    this.nowMs = nowMs;
    this.promptClass = promptClass;
    this.#exchange = exchange;
    this.#body = body;
    this.#peeked = peeked;
    this.#prefixBytes = prefixBytes;
  }

  header(name: string): string | undefined {
    return this.#exchange.anyHeader(name);
  }

  conversationKey(): number {
    if (this.#conversationKey === -1) {
      this.#conversationKey = this.#readConversationKey();
    }
    return this.#conversationKey;
  }

  /** An upload has no beginning that another one shares: it goes where its bytes fall. */
  #readConversationKey(): number {
    const body = this.#body;
    if (this.#peeked.format === 'form') {
      return hashBytes(body, 0, Math.min(body.length, this.#prefixBytes));
    }
    return conversationKey(body, this.#peeked.open, this.#prefixBytes);
  }
}
