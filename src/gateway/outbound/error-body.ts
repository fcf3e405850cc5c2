// Detects a 200 whose JSON body is `{"error": …}`. Failover, metrics and the client get the status
// that the body names. Only the start of a body is inspected.

/** Longer bodies keep their status. */
export const errorBodyBytesMax = 64 * 1024;

/** If the error body names no status. */
const unnamedStatus = 502;

/** True when an answer with this head may be an error. Streams and encoded bodies are not inspected. */
export function mayBeError(status: number, headers: readonly string[]): boolean {
  if (status !== 200) return false;
  let isJson = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name === 'content-encoding') return false;
    if (name === 'content-type') isJson = jsonType.test(headers[index + 1] ?? '');
  }
  return isJson;
}

const jsonType = /^application\/json\b/i;

/** Buffers the body until its kind is known. */
export class EarlyBody {
  readonly chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Copies the last chunk, whose memory is about to be reused. */
  keepLast(): void {
    const last = this.chunks.pop();
    if (last !== undefined) this.chunks.push(Buffer.from(last));
  }

  /** Returns 200 when there is no error, the error's status when there is one, and null while undecided. */
  status(isWhole: boolean): number | null {
    const [first] = this.chunks;
    if (first === undefined) return isWhole ? 200 : null;
    const start = startOf(this.chunks.length === 1 ? first : Buffer.concat(this.chunks));
    if (start === 'other' || this.#bytes > errorBodyBytesMax) return 200;
    if (isWhole) return start === 'error' ? statusIn(Buffer.concat(this.chunks).toString()) : 200;
    return null;
  }
}

const opening = '{"error":';
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Checks whether the first member is named `error`. Other answers differ within their first bytes. */
function startOf(bytes: Buffer): 'error' | 'other' | 'open' {
  let matched = 0;
  for (const byte of bytes) {
    if (matched === opening.length) return 'error';
    if (byte === opening.charCodeAt(matched)) matched++;
    // Whitespace is allowed between tokens only.
    else if (!blanks.has(byte) || (matched > 1 && matched < opening.length - 1)) return 'other';
  }
  return matched === opening.length ? 'error' : 'open';
}

/** Returns 200 when the body is not JSON, or when `error` is null or empty. */
function statusIn(text: string): number {
  const error = memberOf(parseJson(text), 'error');
  if (noErrors.has(error)) return 200;
  return asStatus(memberOf(error, 'code')) ?? asStatus(memberOf(error, 'status')) ?? unnamedStatus;
}

const noErrors: ReadonlySet<unknown> = new Set([null, undefined, false, '', 0]);

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

/** Vendors use a number or a string. */
function asStatus(value: unknown): number | null {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600
    ? status
    : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
