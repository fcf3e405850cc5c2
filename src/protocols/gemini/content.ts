// Translates images, audio and files of a chat to inline data. Base64 is not re-encoded. Nothing is
// fetched, so URLs are refused.

import type { ChatPart } from '../chat.ts';
import { readDataUrl } from '../data-url.ts';
import type { JsonObject } from '../json.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';

export type Part = JsonObject;
type MediaPart = Exclude<ChatPart, { kind: 'text' }>;

export const userParts = (parts: readonly ChatPart[], refusals: Refusals): readonly Part[] =>
  parts
    .map((part) => (part.kind === 'text' ? { text: part.text } : mediaPart(part, refusals)))
    .filter((part) => part !== null);

/** Refuses content that cannot be sent inline, and returns null. */
export function mediaPart(part: MediaPart, refusals: Refusals): Part | null {
  switch (part.kind) {
    case 'image':
      return dataPart('images', part.url, part.at, refusals);
    case 'audio':
      return audioPart(part, refusals);
    case 'file':
      return filePart(part, refusals);
  }
}

function filePart(
  { data, at }: Extract<ChatPart, { kind: 'file' }>,
  refusals: Refusals,
): Part | null {
  if (data === null) {
    refusals.push(unsupported('gemini', 'files referenced by id', at));
    return null;
  }
  // Without a type, assume the only file type that chat accepts.
  return data.includes(':')
    ? dataPart('files', data, at, refusals)
    : inlineData('application/pdf', data);
}

function audioPart(
  { data, format, at }: Extract<ChatPart, { kind: 'audio' }>,
  refusals: Refusals,
): Part | null {
  if (/^[a-z0-9.+-]{1,40}$/i.test(format)) {
    return inlineData(`audio/${format.toLowerCase()}`, data);
  }
  refusals.push(invalid(`${at}.input_audio.format`, 'must be the name of an audio format'));
  return null;
}

function dataPart(what: string, url: string, at: string, refusals: Refusals): Part | null {
  const data = readDataUrl(url);
  if (data !== null && data.mediaType !== '') {
    const { mediaType, base64 } = data;
    return inlineData(mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, base64);
  }
  const isRemote = data === null && /^(?!data:)[a-z][a-z0-9+.-]*:/i.test(url);
  refusals.push(
    isRemote
      ? unsupported('gemini', `remote ${what}: send them inline, as a base64 data: URL`, at)
      : invalid(at, 'must be a base64 data: URL with a media type'),
  );
  return null;
}

const inlineData = (mimeType: string, data: string): Part => ({ inlineData: { mimeType, data } });
