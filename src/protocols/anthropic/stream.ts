// Translates a streamed message of the vendor to chat chunks, event by event
// (https://platform.claude.com/docs/en/build-with-claude/streaming). Ignores unknown events and
// deltas, as the vendor requires. Citations, signatures and the vendor's own tools have no
// equivalent in a chat.

import type { UsageReport } from '../../usage/counts.ts';
import { anthropicUsage, pairUsage } from '../../usage/dialects/anthropic.ts';
import { readAs } from '../../usage/read-report.ts';
import { truncatedError, unreadableError } from '../chat-answer.ts';
import type { ChatError } from '../chat-answer.ts';
import {
  argumentsDelta,
  contentDelta,
  reasoningDelta,
  refusalDelta,
  toolCallDelta,
} from '../chat-chunks.ts';
import { EventStream } from '../event-stream.ts';
import { objectOf, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { StreamOptions, TranslatedStream } from '../translation.ts';
import { readError, statusOfError } from './error.ts';
import { isSigned, refusalOf } from './response.ts';
import { ThinkingBlock } from './thinking-block.ts';
import { finishReason } from './stop-reason.ts';

export const openStream = (options: StreamOptions): TranslatedStream => new MessageStream(options);

const isThinking = ({ type }: JsonObject): boolean =>
  type === 'thinking' || type === 'redacted_thinking';

/** The open tool block: its position among the calls, and its initial input. */
type OpenCall = { readonly ordinal: number; readonly input: string; isFed: boolean };

class MessageStream extends EventStream {
  #isClean = false;
  /** By block index, which counts blocks of all types. */
  readonly #calls = new Map<unknown, OpenCall>();
  #callCount = 0;
  #stopReason: string | null = null;
  /** The open thinking block, if the client wants thinking returned in full. */
  #thinking: ThinkingBlock | null = null;
  #firstUsage: JsonObject | null = null;
  #lastUsage: JsonObject | null = null;

  get isClean(): boolean {
    return this.#isClean;
  }

  get usage(): UsageReport | null {
    return this.#isClean
      ? readAs(anthropicUsage, pairUsage(this.#firstUsage, this.#lastUsage))
      : null;
  }

  protected event(event: JsonObject): string {
    switch (event['type']) {
      case 'message_start':
        return this.#start(objectOf(event, 'message') ?? {});
      case 'content_block_start':
        return this.#openBlock(event['index'], objectOf(event, 'content_block') ?? {});
      case 'content_block_delta':
        return this.#delta(event['index'], objectOf(event, 'delta') ?? {});
      case 'content_block_stop':
        return this.#closeBlock(event['index']);
      case 'message_delta':
        return this.#messageDelta(event);
      case 'message_stop':
        return this.#stop();
      case 'error':
        return this.#failBy(readError(event) ?? truncatedError);
      default:
        return '';
    }
  }

  /** A message that only lacks its final event has already reported its stop reason and usage. */
  protected ended(): string {
    return this.#stopReason === null ? this.#failBy(truncatedError) : this.#stop();
  }

  #start(message: JsonObject): string {
    const begun = this.begin(textOf(message, 'id'), textOf(message, 'model'));
    if (begun !== '') this.#firstUsage = objectOf(message, 'usage');
    return begun;
  }

  #openBlock(index: unknown, block: JsonObject): string {
    if (block['type'] !== 'tool_use') {
      const isKept = this.options.keepsThinking === true && isThinking(block);
      this.#thinking = isKept ? new ThinkingBlock(block) : null;
      return this.#openingText(block);
    }
    const input = writeJson(objectOf(block, 'input') ?? {});
    if (input === null) return this.fail(unreadableError);
    const ordinal = this.#callCount++;
    this.#calls.set(index, { ordinal, input, isFed: false });
    const id = textOf(block, 'id') ?? `toolu_${ordinal}`;
    const call = { id, name: textOf(block, 'name') ?? '', arguments: '' };
    return this.send(toolCallDelta(ordinal, call));
  }

  #openingText(block: JsonObject): string {
    if (block['type'] === 'text') return this.text(textOf(block, 'text'), contentDelta);
    if (block['type'] === 'thinking') return this.text(textOf(block, 'thinking'), reasoningDelta);
    return '';
  }

  #delta(index: unknown, delta: JsonObject): string {
    switch (delta['type']) {
      case 'text_delta':
        return this.text(textOf(delta, 'text'), contentDelta);
      case 'signature_delta':
        this.#thinking?.push(delta);
        return '';
      case 'thinking_delta':
        this.#thinking?.push(delta);
        return this.text(textOf(delta, 'thinking'), reasoningDelta);
      case 'input_json_delta': {
        const call = this.#calls.get(index);
        const text = textOf(delta, 'partial_json');
        if (call === undefined || text === null || text === '') return '';
        call.isFed = true;
        return this.send(argumentsDelta(call.ordinal, text));
      }
      default:
        return '';
    }
  }

  /** A call whose arguments were not streamed has them in its first event, or has none. */
  #closeBlock(index: unknown): string {
    const thinking = this.#thinking?.whole() ?? null;
    this.#thinking = null;
    if (thinking !== null && isSigned(thinking)) {
      return this.send(JSON.stringify({ thinking_blocks: [thinking] }));
    }
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    if (call === undefined || call.isFed) return '';
    return this.send(argumentsDelta(call.ordinal, call.input));
  }

  /** Counts are cumulative, so the last event wins. The stop reason is sent once, at the end. */
  #messageDelta(event: JsonObject): string {
    const delta = objectOf(event, 'delta') ?? {};
    this.#lastUsage = objectOf(event, 'usage') ?? this.#lastUsage;
    this.#stopReason = textOf(delta, 'stop_reason') ?? this.#stopReason;
    const refusal = refusalOf(delta);
    return this.text(refusal, refusalDelta);
  }

  #stop(): string {
    this.#isClean = true;
    let text = '';
    for (const index of this.#calls.keys()) text += this.#closeBlock(index);
    return text + this.finish(finishReason(this.#stopReason, this.#callCount > 0));
  }

  #failBy(error: ChatError): string {
    return this.fail(error, statusOfError(error.type));
  }
}
