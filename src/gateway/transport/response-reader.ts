// Parses one upstream answer incrementally, without I/O: each read returns the new payload, and the owner of the connection
// forwards it.

import { ChunkedBody } from './chunked-body.ts';
import { readResponseHead } from './response-head.ts';
import type { ResponseHead } from './response-head.ts';

/** More interim answers indicate an attack or a fault. */
const interimAnswersMax = 8;

export class ResponseReader {
  /** The final head, once it has arrived. */
  head: ResponseHead | null = null;
  /** The body bytes of the last read: a view of the bytes that were read. */
  payload: Buffer | null = null;
  isComplete = false;
  problem: string | null = null;
  /** True when nothing followed the answer and the connection can be reused. */
  isReusable = false;
  #partialHead: Buffer | null = null;
  #chunked: ChunkedBody | null = null;
  #leftBytes = 0;
  #interimAnswers = 0;

  /** Modifies `bytes`. The caller may reuse the buffer. */
  read(bytes: Buffer): void {
    this.payload = null;
    if (this.head !== null) return this.#readBody(this.head, bytes, 0);
    const all = this.#partialHead === null ? bytes : Buffer.concat([this.#partialHead, bytes]);
    this.#partialHead = null;
    for (let at = 0; ;) {
      const head = readResponseHead(all, at, all.length);
      if (head === 'partial') {
        this.#partialHead = Buffer.from(all.subarray(at));
        return;
      }
      if ('problem' in head) return this.#refuse(head.problem);
      at = head.end;
      if (head.status >= 200) return this.#begin(head, all);
      if (!head.isReusable) return this.#refuse('an interim answer closes the connection');
      if (++this.#interimAnswers > interimAnswersMax) {
        return this.#refuse('too many interim answers');
      }
    }
  }

  /** The upstream closed its side. Returns true when that completes the answer. */
  close(): boolean {
    this.payload = null;
    if (this.head?.framing === 'close') this.isComplete = true;
    return this.isComplete;
  }

  #begin(head: ResponseHead, bytes: Buffer): void {
    this.head = head;
    if (head.framing === 'chunked') this.#chunked = new ChunkedBody();
    this.#leftBytes = head.bodyBytes;
    this.#readBody(head, bytes, head.end);
  }

  #readBody(head: ResponseHead, bytes: Buffer, from: number): void {
    switch (head.framing) {
      case 'length': {
        const end = Math.min(bytes.length, from + this.#leftBytes);
        this.#take(bytes, from, end);
        this.#leftBytes -= end - from;
        if (this.#leftBytes === 0) this.#complete(head, end === bytes.length);
        return;
      }
      case 'close':
        return this.#take(bytes, from, bytes.length);
      case 'chunked':
        if (this.#chunked !== null) this.#readChunked(head, this.#chunked, bytes, from);
    }
  }

  #readChunked(head: ResponseHead, chunked: ChunkedBody, bytes: Buffer, from: number): void {
    const end = chunked.read(bytes, from, bytes.length);
    this.#take(bytes, chunked.start, chunked.end);
    if (chunked.problem !== null) this.#refuse(chunked.problem);
    else if (chunked.isDone) this.#complete(head, end === bytes.length);
  }

  #take(bytes: Buffer, from: number, end: number): void {
    if (end > from) this.payload = bytes.subarray(from, end);
  }

  #complete(head: ResponseHead, isLast: boolean): void {
    this.isComplete = true;
    this.isReusable = head.isReusable && isLast;
  }

  #refuse(problem: string): void {
    this.problem = problem;
  }
}
