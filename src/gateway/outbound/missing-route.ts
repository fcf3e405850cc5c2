// Detects that a backend does not serve a route. A 404 or 405 for the route itself is reported to
// the attempt. All other answers are relayed, such as a 404 for a model or item.

import { isObject, parseJson } from '../../protocols/json.ts';
import type { AnswerSink, FlatHeaders, UpstreamFault } from '../transport/boundary.ts';

export type MissingRouteSink = AnswerSink & {
  /** No other call follows. */
  onMissingRoute(): void;
};

/** A longer body is an HTML page: no API describes a missing model at this length. */
const bodyBytesMax = 64 * 1024;

export class RouteWatch implements AnswerSink {
  readonly #sink: MissingRouteSink;
  #held: Readonly<{ status: number; headers: FlatHeaders }> | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(sink: MissingRouteSink) {
    this.#sink = sink;
  }

  onHead(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    if (status === 404 || status === 405) this.#held = { status, headers };
    else this.#sink.onHead(status, headers, isFollowed);
  }

  onChunk(chunk: Buffer, isLast: boolean): boolean {
    if (this.#held === null) return this.#sink.onChunk(chunk, isLast);
    this.#bytes += chunk.length;
    if (this.#bytes <= bodyBytesMax) this.#chunks.push(Buffer.from(chunk));
    return true;
  }

  onEnd(): void {
    const held = this.#held;
    if (held === null) return this.#sink.onEnd();
    const body = Buffer.concat(this.#chunks);
    if (held.status === 405 || !namesResource(body)) return this.#sink.onMissingRoute();
    this.#sink.onHead(held.status, held.headers, true);
    this.#sink.onChunk(body, true);
    this.#sink.onEnd();
  }

  onFault(fault: UpstreamFault): void {
    this.#sink.onFault(fault);
  }
}

/** An error that names a request field or a missing model comes from the route itself. */
function namesResource(body: Buffer): boolean {
  const answer = parseJson(body.toString());
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : {};
  return error['code'] === 'model_not_found' || typeof error['param'] === 'string';
}
