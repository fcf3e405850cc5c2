// Reads the content of a message, or a tool result, as parts of a chat.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { ChatPart } from '../chat.ts';
import { member } from '../json.ts';
import { textPart } from '../messages/read-blocks.ts';
import { typeCharactersMax } from '../messages/read-tools.ts';
import { below, mustBe, readName, readObject, readObjects, readText } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';

/** `name` is the member that holds a string or a list of parts. */
export function readParts(item: Field, name: string, protocol: Protocol): readonly ChatPart[] {
  const value = member(item.object, name) ?? null;
  if (typeof value === 'string') return textPart(value, below(item.at, name));
  return readObjects(item, name).flatMap((part) => readPart(part, protocol));
}

function readPart(part: Field, protocol: Protocol): readonly ChatPart[] {
  const { object, at, refusals } = part;
  const type = member(object, 'type');
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(readText(part, 'text') ?? '', at);
    case 'refusal':
      return textPart(readText(part, 'refusal') ?? '', at);
    case 'input_image': {
      if (readText(part, 'image_url') !== null) {
        return [{ kind: 'image', url: readName(part, 'image_url'), at }];
      }
      const feature = 'images referenced by id';
      refusals.push(unsupported(protocol, feature, below(at, 'file_id')));
      return [];
    }
    case 'input_file': {
      const data = readText(part, 'file_data') ?? readText(part, 'file_url');
      return [{ kind: 'file', data, filename: readText(part, 'filename'), at }];
    }
    case 'input_audio': {
      const object = readObject(part, type) ?? {};
      const audio = { object, at: below(at, type), refusals };
      const [data, format] = [readName(audio, 'data'), readName(audio, 'format')];
      return [{ kind: 'audio', data, format, at }];
    }
    default:
      refusals.push(
        typeof type === 'string'
          ? unsupported(
              protocol,
              `content parts of type ${type.slice(0, typeCharactersMax)}`,
              below(at, 'type'),
            )
          : invalid(below(at, 'type'), mustBe('a string', type)),
      );
      return [];
  }
}
