// Masks the credential of a backend in an answer that repeats it, as some upstreams do in an error ("bad key …"). Every byte of it
// becomes an asterisk, so that the length of the answer and its framing stay as they are.

import type { FlatHeaders } from '../transport/boundary.ts';

/** A shorter credential, such as `none` or `EMPTY`, is a placeholder that also occurs as a word. */
const maskedCharactersMin = 8;

const nothing = Buffer.alloc(0);

/** The head of an answer as the client may see it. */
export type MaskedHead = Readonly<{
  status: number;
  headers: FlatHeaders;
  /** For the body; null for a success, which repeats no credential, and where there is nothing to mask. */
  mask: CredentialMask | null;
}>;

export function maskedHead(
  status: number,
  headers: FlatHeaders,
  credential: string | null,
): MaskedHead {
  if (status < 300 || credential === null || credential.length < maskedCharactersMin) {
    return { status, headers, mask: null };
  }
  const mask = new CredentialMask(credential);
  return { status, headers: mask.headers(headers), mask };
}

export class CredentialMask {
  readonly #credential: string;
  readonly #bytes: Buffer;
  /** The end of the last chunk, when it may be the beginning of the credential. */
  #rest: Buffer = nothing;

  constructor(credential: string) {
    this.#credential = credential;
    this.#bytes = Buffer.from(credential);
  }

  headers(headers: FlatHeaders): FlatHeaders {
    const mask = '*'.repeat(this.#credential.length);
    return headers.map((text) => text.replaceAll(this.#credential, mask));
  }

  /** What can be passed on now; fewer bytes than the credential has are kept back. Changes the chunk. */
  push(chunk: Buffer, isLast: boolean): Buffer {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const { length } = this.#bytes;
    for (let at = all.indexOf(this.#bytes); at !== -1; at = all.indexOf(this.#bytes, at + length)) {
      all.fill('*', at, at + length);
    }
    const end = isLast ? all.length : all.length - this.#begunBytes(all);
    this.#rest = all.subarray(end);
    return all.subarray(0, end);
  }

  /** What was kept back: the answer ended in the middle of what looked like the credential. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = nothing;
    return rest;
  }

  /** How many bytes at the end are the beginning of the credential. */
  #begunBytes(bytes: Buffer): number {
    let begun = Math.min(this.#bytes.length - 1, bytes.length);
    while (begun > 0 && !bytes.subarray(-begun).equals(this.#bytes.subarray(0, begun))) begun--;
    return begun;
  }
}
