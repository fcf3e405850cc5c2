// Provides the request attributes for routing: those found in the body scan, and others that are computed only when a rule
// or policy needs them.

import type { Clock } from '../lib/clock.ts';
import type { PromptClassId } from '../lib/ids.ts';
import type { RoutedRequest } from '../routing/request.ts';
import { hashBytes } from '../routing/hash.ts';
import type { Classifier, Unclassified } from './classifier.ts';
import { conversationKey } from './body/conversation.ts';
import type { Peeked } from './body/peek.ts';
import { noteClass } from './traced.ts';
import type { Exchange } from './transport/boundary.ts';

type Dependencies = Readonly<{ classifier: Classifier; now: Clock }>;

/** A promise only when another thread classifies the prompt. */
export function routedRequest(
  { classifier, now }: Dependencies,
  exchange: Exchange,
  unclassified: Unclassified,
): RoutedRequest | Promise<RoutedRequest> {
  const classed = (promptClass: PromptClassId | null): RoutedRequest => {
    noteClass(exchange, unclassified.snapshot, promptClass);
    return new PeekedRequest(exchange, unclassified, promptClass, now());
  };
  const found = classifier.classOf(unclassified);
  return found instanceof Promise ? found.then(classed) : classed(found);
}

class PeekedRequest implements RoutedRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly promptEstimate: number;
  readonly maxTokens: number | null;
  readonly promptClass: PromptClassId | null;
  readonly nowMs: number;
  readonly #exchange: Exchange;
  readonly #body: Buffer;
  readonly #peeked: Peeked;
  readonly #prefixBytes: number;
  #conversationKey = -1;

  constructor(
    exchange: Exchange,
    { snapshot, peeked, body }: Unclassified,
    promptClass: PromptClassId | null,
    nowMs: number,
  ) {
    this.model = peeked.model;
    this.isStream = peeked.isStream;
    this.promptEstimate = peeked.promptEstimate;
    this.maxTokens = peeked.maxTokens;
    this.promptClass = promptClass;
    this.nowMs = nowMs;
    this.#exchange = exchange;
    this.#body = body;
    this.#peeked = peeked;
    this.#prefixBytes = snapshot.tuning.prefix_bytes;
  }

  header(name: string): string | undefined {
    return this.#exchange.anyHeader(name);
  }

  conversationKey(): number {
    if (this.#conversationKey === -1) this.#conversationKey = this.#readConversationKey();
    return this.#conversationKey;
  }

  /** Uploads share no common beginning, so this hashes the first bytes. */
  #readConversationKey(): number {
    const body = this.#body;
    const prefixBytes = this.#prefixBytes;
    return this.#peeked.format === 'form'
      ? hashBytes(body, 0, Math.min(body.length, prefixBytes))
      : conversationKey(body, this.#peeked.open, prefixBytes);
  }
}
