// What a vendor signed, as the `encrypted_content` of a reasoning item: the client keeps it and sends it back in its next request. It
// names the protocol and the model that can read it. Vendors check their signatures, so nothing here is secret or trusted.

import type { Protocol } from '../../lib/vocabulary.ts';
import { isObject, listOf, objectOf, parseJson, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** The backend whose vendor signed; `model` is the upstream's name of it. */
export type Signer = Readonly<{ protocol: Protocol; model: string }>;

export type Signed = Readonly<{
  /** The id of the call that was signed, or null when the text or the thinking was. */
  call: string | null;
  /** Blocks of thinking as the vendor gave them. */
  thinkingBlocks: readonly JsonObject[];
  /** What the chat protocol has as `extra_content`. */
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

/** Null for what another backend signed, and for what this program did not seal: only the signer can read it. */
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
 * The body without the items that hold a seal, for a backend that serves the Responses API itself and refuses a whole request for
 * them. Null when there is none, as in most bodies, which then go on untouched.
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
