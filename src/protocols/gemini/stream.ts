// Translates a streamed answer of the vendor to chat chunks. Events have no names and no end
// marker. The event with a finish reason is final, and the last usage counts (wire reference 3.3).

import type { UsageReport } from '../../usage/counts.ts';
import { geminiUsage, hasTotals } from '../../usage/dialects/gemini.ts';
import { readAs } from '../../usage/read-report.ts';
import { truncatedError, unreadableError } from '../chat-answer.ts';
import { contentDelta, reasoningDelta, refusalDelta, toolCallDelta } from '../chat-chunks.ts';
import { EventStream } from '../event-stream.ts';
import { isObject, listOf, objectOf, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { StreamOptions, TranslatedStream } from '../translation.ts';
import { readParts } from './answer-parts.ts';
import type { AnswerCall, AnswerPart } from './answer-parts.ts';
import { Billed } from './billed.ts';
import { readError } from './error.ts';
import { finishReason, promptRefusalOf, refusalOf } from './finish-reason.ts';

export const openStream = (options: StreamOptions): TranslatedStream => new ContentStream(options);

class ContentStream extends EventStream {
  #answerId: string | null = null;
  #callCount = 0;
  #reason: string | null = null;
  #metadata: JsonObject | null = null;
  #model: string | null = null;
  readonly #billed = new Billed();

  /** The finish reason is the vendor's only end marker. */
  get isClean(): boolean {
    return this.#reason !== null && this.failedStatus === null;
  }

  get usage(): UsageReport | null {
    if (!this.isClean) return null;
    const report = readAs(geminiUsage, this.#metadata);
    return this.#billed.addTo(report, this.#model ?? this.options.model);
  }

  protected event(event: JsonObject): string {
    const failed = readError(event);
    if (failed !== null) return this.fail(failed.error, failed.status);
    const metadata = objectOf(event, 'usageMetadata');
    if (metadata !== null && hasTotals(metadata)) this.#metadata = metadata;
    const id = textOf(event, 'responseId');
    this.#answerId ??= id ?? this.options.requestId;
    const candidate = listOf(event, 'candidates').find(isObject);
    this.#model ??= textOf(event, 'modelVersion');
    const begun = this.begin(id, this.#model);
    return begun + (candidate === undefined ? this.#blocked(event) : this.#candidate(candidate));
  }

  protected ended(): string {
    if (this.#reason === null) return this.fail(truncatedError);
    return this.finish(finishReason(this.#reason, this.#callCount > 0));
  }

  #blocked(event: JsonObject): string {
    const refusal = promptRefusalOf(event);
    if (refusal !== null) this.#reason = 'PROHIBITED_CONTENT';
    return this.text(refusal, refusalDelta);
  }

  #candidate(candidate: JsonObject): string {
    this.#billed.read(candidate);
    const parts = readParts(candidate, this.#answerId ?? '', this.#callCount);
    if (parts === null) return this.fail(unreadableError);
    let text = '';
    for (const part of parts) text += this.#part(part);
    const reason = textOf(candidate, 'finishReason');
    if (reason === null) return text;
    this.#reason = reason;
    return text + this.text(refusalOf(candidate), refusalDelta);
  }

  #part(part: AnswerPart): string {
    switch (part.kind) {
      case 'text':
        return this.text(part.text, contentDelta);
      case 'thought':
        return this.text(part.text, reasoningDelta);
      case 'signature':
        return this.send(JSON.stringify(part.more));
      case 'call':
        return this.#call(part.call);
    }
  }

  #call(call: AnswerCall): string {
    const index = this.#callCount++;
    const isLeftOut = index > 0 && this.options.singleToolCall;
    return isLeftOut ? '' : this.send(toolCallDelta(index, call, call.more));
  }
}
