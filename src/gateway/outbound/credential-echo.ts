// Masks a backend's credential in answers that repeat it, for example in an error ("bad key …"). Every byte becomes an
// asterisk, so the length and framing do not change.

import type { FlatHeaders } from '../transport/boundary.ts';

/** Shorter credentials, such as `none` or `EMPTY`, are placeholders and may occur as words. */
const maskedCharactersMin = 8;

const nothing = Buffer.alloc(0);

/** The head that the client may see. */
export type MaskedHead = Readonly<{
  status: number;
  headers: FlatHeaders;
  /** Null for a success, and when there is nothing to mask. */
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
  /** The end of the last chunk when it may be the beginning of the credential. */
  #rest: Buffer = nothing;

  constructor(credential: string) {
    this.#credential = credential;
    this.#bytes = Buffer.from(credential);
  }

  headers(headers: FlatHeaders): FlatHeaders {
    const mask = '*'.repeat(this.#credential.length);
    return headers.map((text) => text.replaceAll(this.#credential, mask));
  }

  /** Returns the bytes that can be sent now. Holds back fewer bytes than the credential has. Modifies the chunk. */
  push(chunk: Buffer, isLast: boolean): Buffer {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const { length } = this.#bytes;
    for (let at = all.indexOf(this.#bytes); at !== -1; at = all.indexOf(this.#bytes, at + length)) {
      all.fill('*', at, at + length);
    }
    const end = isLast ? all.length : all.length - this.#begunBytes(all);
    this.#rest = Buffer.from(all.subarray(end));
    return all.subarray(0, end);
  }

  /** Returns the bytes that were held back at the end of the answer. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = nothing;
    return rest;
  }

  /** The number of bytes at the end that match the beginning of the credential. */
  #begunBytes(bytes: Buffer): number {
    let begun = Math.min(this.#bytes.length - 1, bytes.length);
    while (begun > 0 && !bytes.subarray(-begun).equals(this.#bytes.subarray(0, begun))) begun--;
    return begun;
  }
}
