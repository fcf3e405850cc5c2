// Reads HTTP/1.1 answers from one connection and compares each with the expected bytes. It stores only an unfinished
// head, because it shares its core with the upstream.

const headBytesMax = 16 * 1024;
const endOfLine = Buffer.from('\r\n');
const endOfHead = Buffer.from('\r\n\r\n');

type Phase = 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer';

/** Calls `onAnswer` at the end of each answer; throws at the first one that is not a 200 with `expected` as its body. */
export function createAnswerReader(
  expected: Buffer,
  onAnswer: () => void,
): (bytes: Buffer) => void {
  let phase: Phase = 'head';
  let unread: Buffer = Buffer.alloc(0);
  let bytesLeft = 0;
  let bodyBytes = 0;

  const finish = (): void => {
    if (bodyBytes !== expected.length) {
      throw new Error(`an answer has ${bodyBytes} bytes and not ${expected.length}`);
    }
    phase = 'head';
    onAnswer();
  };
  /** Consumes the bytes of the current part and returns where it ends in `data`. */
  const takeBody = (data: Buffer, from: number): number => {
    const taken = Math.min(bytesLeft, data.length - from);
    const end = Math.min(bodyBytes + taken, expected.length);
    if (data.compare(expected, bodyBytes, end, from, from + taken) !== 0) {
      throw new Error(`an answer differs from what was sent, after byte ${bodyBytes}`);
    }
    bodyBytes += taken;
    bytesLeft -= taken;
    return from + taken;
  };
  const startBody = (head: string): void => {
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`an answer is ${head.slice(0, 40)}`);
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    if (length === undefined && !/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) {
      throw new Error('an answer has no framing');
    }
    if (length !== undefined && Number(length) !== expected.length) {
      throw new Error(`an answer has ${length} bytes and not ${expected.length}`);
    }
    bodyBytes = 0;
    bytesLeft = Number(length ?? 0);
    phase = length === undefined ? 'chunk-size' : 'body';
  };
  const startChunk = (line: string): void => {
    bytesLeft = Number.parseInt(line, 16);
    if (!Number.isInteger(bytesLeft)) throw new Error('a chunk has no size');
    phase = bytesLeft === 0 ? 'trailer' : 'chunk';
  };
  /** Returns where the next part begins, or -1 when `data` does not contain all of this one. */
  const step = (data: Buffer, at: number): number => {
    if (phase === 'body' || phase === 'chunk') {
      const next = takeBody(data, at);
      if (bytesLeft === 0) {
        if (phase === 'body') finish();
        else phase = 'chunk-end';
      }
      return next;
    }
    const mark = phase === 'head' ? endOfHead : endOfLine;
    const end = data.indexOf(mark, at);
    if (end === -1) return -1;
    if (phase === 'head') startBody(data.toString('latin1', at, end + 2));
    else if (phase === 'chunk-size') startChunk(data.toString('latin1', at, end));
    else if (phase === 'chunk-end') phase = 'chunk-size';
    else if (end === at) finish();
    return end + mark.length;
  };

  return (bytes) => {
    const data = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    let at = 0;
    while (at < data.length) {
      const next = step(data, at);
      if (next === -1) break;
      at = next;
    }
    // A copy, because the connection reuses its read buffer.
    unread = at === data.length ? data.subarray(0, 0) : Buffer.from(data.subarray(at));
    if (unread.length > headBytesMax) throw new Error('an answer has no end of its head');
  };
}
