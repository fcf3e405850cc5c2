// Reads the content of a message, in any of its spellings, as a list of parts.

import type { Protocol } from '../lib/vocabulary.ts';
import type { ChatPart } from './chat.ts';
import { member } from './json.ts';
import { below, mustBe, readName, readObject, readObjects, readText } from './read-fields.ts';
import type { Field } from './read-fields.ts';
import { invalid, unsupported } from './refusal.ts';

export function readParts(message: Field, protocol: Protocol): readonly ChatPart[] {
  const content = member(message.object, 'content') ?? null;
  if (content === null) return [];
  if (typeof content === 'string') return textPart(content, below(message.at, 'content'));
  return readObjects(message, 'content').flatMap((part) => readPart(part, protocol));
}

/** Drops empty text: vendors reject it. */
export const textPart = (text: string, at: string): readonly ChatPart[] =>
  text === '' ? [] : [{ kind: 'text', text, at }];

function readPart(part: Field, protocol: Protocol): readonly ChatPart[] {
  const { object, at, refusals } = part;
  const type = member(object, 'type');
  switch (type) {
    case 'text':
      return textPart(readText(part, 'text') ?? '', at);
    case 'refusal':
      return textPart(readText(part, 'refusal') ?? '', at);
    case 'image_url':
      return [{ kind: 'image', url: readImageUrl(part), at }];
    case 'input_audio': {
      const audio = inside(part, type);
      if (audio === null) return [];
      const [data, format] = [readName(audio, 'data'), readName(audio, 'format')];
      return [{ kind: 'audio', data, format, at }];
    }
    case 'file': {
      const file = inside(part, type);
      if (file === null) return [];
      const data = readText(file, 'file_data');
      return [{ kind: 'file', data, filename: readText(file, 'filename'), at }];
    }
    case 'thinking':
    case 'reasoning':
      return [];
    default:
      refusals.push(
        typeof type === 'string'
          ? unsupported(protocol, `content parts of type ${type}`, below(at, 'type'))
          : invalid(below(at, 'type'), mustBe('a string', type)),
      );
      return [];
  }
}

/** Some clients send the URL itself instead of the object that contains it. */
function readImageUrl(part: Field): string {
  if (typeof member(part.object, 'image_url') === 'string') return readName(part, 'image_url');
  const image = inside(part, 'image_url');
  return image === null ? '' : readName(image, 'url');
}

function inside(part: Field, name: string): Field | null {
  const { at, refusals } = part;
  const object = readObject(part, name);
  if (object !== null) return { object, at: below(at, name), refusals };
  refusals.push(invalid(below(at, name), mustBe('an object', object)));
  return null;
}
