// A 200 whose JSON body is `{"error": …}` is an error that its upstream did not say so in the
// status: it is taken for the status that the body names, so that it is tried elsewhere, counted
// and told to the client as what it is. Only the start of a body is read to know.

/** A longer body is taken for what its status says. */
export const errorBodyBytesMax = 64 * 1024;

/** What an error that names no status of its own is taken for: the upstream failed. */
const unnamedStatus = 502;

/** Whether an answer with this head may be one. Streams and encoded bodies are not looked into. */
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

/** The body of an answer that may be one, until it is known what it is. */
export class EarlyBody {
  readonly chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** 200 when it is no error, the status that it is taken for when it is, null until it is known. */
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

/** Whether the first member is named `error`. An answer that is none shows it in its first bytes. */
function startOf(bytes: Buffer): 'error' | 'other' | 'open' {
  let matched = 0;
  for (const byte of bytes) {
    if (matched === opening.length) return 'error';
    if (byte === opening.charCodeAt(matched)) matched++;
    // Between tokens: not within the name.
    else if (!blanks.has(byte) || (matched > 1 && matched < opening.length - 1)) return 'other';
  }
  return matched === opening.length ? 'error' : 'open';
}

/** Of a whole body. 200 when it is no JSON, or its `error` is null or empty: then there was none. */
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

/** Vendors write it as a number or as text. */
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
