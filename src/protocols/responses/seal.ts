// Stores a vendor's signature in the `encrypted_content` of a reasoning item, which clients send
// back in the next request. It names the protocol and model that can read it. It is encoded, not
// encrypted: vendors verify their signatures themselves.

import type { Protocol } from '../../lib/vocabulary.ts';
import { isObject, listOf, objectOf, parseJson, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** The backend of the signing vendor. `model` is the upstream name. */
export type Signer = Readonly<{ protocol: Protocol; model: string }>;

export type Signed = Readonly<{
  /** The id of the signed call. Null if text or thinking was signed. */
  call: string | null;
  /** Exactly as the vendor sent them. */
  thinkingBlocks: readonly JsonObject[];
  /** The chat protocol's `extra_content`. */
  extraContent: JsonObject | null;
}>;

const mark = 'gw1.';

export function seal(
  { protocol, model }: Signer,
  { call, thinkingBlocks, extraContent }: Signed,
): string | null {
  const text = writeJson({ protocol, model, call, thinkingBlocks, extraContent });
  return text === null ? null : mark + Buffer.from(text).toString('base64url');
}

/** Null if another backend signed it or this program did not write it. */
export function openSeal(sealed: string, signer: Signer): Signed | null {
  if (!sealed.startsWith(mark)) return null;
  const text = Buffer.from(sealed.slice(mark.length), 'base64url').toString('utf8');
  const content = parseJson(text);
  if (!isObject(content)) return null;
  if (content['protocol'] !== signer.protocol || content['model'] !== signer.model) return null;
  return {
    call: textOf(content, 'call'),
    thinkingBlocks: listOf(content, 'thinkingBlocks').filter(isObject),
    extraContent: objectOf(content, 'extraContent'),
  };
}

/**
 * For a backend that serves the Responses API and would reject sealed items. Null if there are
 * none, as in most bodies, which are then forwarded unchanged.
 */
export function withoutSeals(body: Buffer, model: string): Buffer | null {
  if (!body.includes(`"${mark}`)) return null;
  const request = parseJson(body.toString('utf8'));
  if (!isObject(request)) return null;
  const input = listOf(request, 'input').filter((item) => !isObject(item) || !isSealed(item));
  const text = writeJson({ ...request, model, input });
  return text === null ? null : Buffer.from(text);
}

const isSealed = (item: JsonObject): boolean =>
  textOf(item, 'encrypted_content')?.startsWith(mark) ?? false;
