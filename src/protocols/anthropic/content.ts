// One content part of a chat as a block of the Messages API. Media are passed on as they came:
// base64 as base64, an https URL for the vendor to fetch.

import type { ChatPart } from '../chat.ts';
import { readDataUrl } from '../data-url.ts';
import type { JsonObject } from '../json.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';

export type Block = JsonObject;

/** What the API does not take is refused. */
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

/** The API refuses text of nothing but white space; no words are lost with it. */
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
    refusals.push(unsupported('anthropic', 'files that are named by their id', at));
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

/** The type's name where it is no document's; null for what is neither a `data:` URL nor base64. */
function documentSource(data: string): Block | string | null {
  const url = readDataUrl(data);
  if (url === null) {
    // Without a type it can only be the one kind of file that chat itself takes.
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

const mediaForm = 'must be a data: URL in base64 or an https URL';
