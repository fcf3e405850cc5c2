// Translates one content part of a chat to a block of the Messages API. Base64 stays base64, and
// the vendor fetches https URLs.

import type { ChatPart } from '../chat.ts';
import { readDataUrl } from '../data-url.ts';
import type { JsonObject } from '../json.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';

export type Block = JsonObject;

export const contentBlocks = (parts: readonly ChatPart[], refusals: Refusals): readonly Block[] =>
  parts.map((part) => contentBlock(part, refusals)).filter((block) => block !== null);

function contentBlock(part: ChatPart, refusals: Refusals): Block | null {
  switch (part.kind) {
    case 'text':
      return textBlock(part.text);
    case 'image':
      return imageBlock(part.url, part.at, refusals);
    case 'audio':
      refusals.push(unsupported('anthropic', 'audio content parts', part.at));
      return null;
    case 'file':
      return documentBlock(part, refusals);
  }
}

/** The API rejects text that is only white space. */
export const textBlock = (text: string): Block | null =>
  /\S/.test(text) ? { type: 'text', text } : null;

const imageTypes: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
]);

function imageBlock(url: string, at: string, refusals: Refusals): Block | null {
  if (isHttps(url)) return { type: 'image', source: { type: 'url', url } };
  const data = readDataUrl(url);
  if (data === null) {
    refusals.push(invalid(at, mediaForm));
    return null;
  }
  const mediaType = data.mediaType === 'image/jpg' ? 'image/jpeg' : data.mediaType;
  if (!imageTypes.has(mediaType)) {
    refusals.push(unsupported('anthropic', `images of type ${mediaType.slice(0, 60)}`, at));
    return null;
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: data.base64 } };
}

type FilePart = Extract<ChatPart, { kind: 'file' }>;

function documentBlock({ data, filename, at }: FilePart, refusals: Refusals): Block | null {
  if (data === null) {
    refusals.push(unsupported('anthropic', 'files referenced by id', at));
    return null;
  }
  const source = isHttps(data) ? { type: 'url', url: data } : documentSource(data);
  if (source === null) {
    refusals.push(invalid(at, mediaForm));
    return null;
  }
  if (typeof source !== 'string') {
    return { type: 'document', source, ...(filename !== null && { title: filename }) };
  }
  if (imageTypes.has(source)) return imageBlock(data, at, refusals);
  refusals.push(unsupported('anthropic', `files of type ${source.slice(0, 60)}`, at));
  return null;
}

/**
 * Returns the type's name if it is not a document type. Null if the value is neither a `data:` URL
 * nor base64.
 */
function documentSource(data: string): Block | string | null {
  const url = readDataUrl(data);
  if (url === null) {
    // Without a type, assume the only file type that chat accepts.
    return data.includes(':') ? null : { type: 'base64', media_type: 'application/pdf', data };
  }
  const { mediaType, base64 } = url;
  if (mediaType === 'application/pdf') {
    return { type: 'base64', media_type: mediaType, data: base64 };
  }
  if (mediaType !== 'text/plain') return mediaType;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return { type: 'text', media_type: mediaType, data: text };
}

const isHttps = (url: string): boolean => /^https:\/\//i.test(url);

const mediaForm = 'must be a base64 data: URL or an https URL';
