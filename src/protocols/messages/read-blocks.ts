// Reads content blocks of a user, a tool or the system prompt as parts of a chat (wire reference
// 1.3). Base64 becomes a data: URL.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { ChatPart } from '../chat.ts';
import { member } from '../json.ts';
import { below, mustBe, readName, readObject, readObjects, readText } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';
import { typeCharactersMax } from './read-tools.ts';

/** `name` is the member that holds a string or a list of blocks. */
export function readContent(field: Field, name: string, protocol: Protocol): readonly ChatPart[] {
  const value = member(field.object, name) ?? null;
  if (value === null) return [];
  if (typeof value === 'string') return textPart(value, below(field.at, name));
  return readObjects(field, name).flatMap((block) => readBlock(block, protocol));
}

/** Drops empty text: vendors reject it. */
export const textPart = (text: string, at: string): readonly ChatPart[] =>
  text === '' ? [] : [{ kind: 'text', text, at }];

export function readBlock(block: Field, protocol: Protocol): readonly ChatPart[] {
  const { object, at } = block;
  switch (member(object, 'type')) {
    case 'text':
      return textPart(readText(block, 'text') ?? '', at);
    case 'image':
      return readImage(block, protocol);
    case 'document':
      return readDocument(block, protocol);
    case 'search_result':
      return [
        ...titleParts(block, ['title', 'source']),
        ...readContent(block, 'content', protocol),
      ];
    case 'tool_reference':
      return textPart(readName(block, 'tool_name'), at);
    default:
      return refuseBlock(block, protocol);
  }
}

export function refuseBlock({ object, at, refusals }: Field, protocol: Protocol): readonly [] {
  const type = member(object, 'type');
  if (typeof type === 'string') {
    const feature = `content blocks of type ${type.slice(0, typeCharactersMax)}`;
    refusals.push(unsupported(protocol, feature, below(at, 'type')));
  } else refusals.push(invalid(below(at, 'type'), mustBe('a string', type)));
  return [];
}

function readImage(block: Field, protocol: Protocol): readonly ChatPart[] {
  const { at } = block;
  const source = readSource(block);
  if (source === null) return [];
  switch (member(source.object, 'type')) {
    case 'base64':
      return [{ kind: 'image', url: dataUrl(source), at }];
    case 'url':
      return [{ kind: 'image', url: readName(source, 'url'), at }];
    default:
      return refuseSource(source, 'images', protocol);
  }
}

/** Text documents become text, after their title and context. Other documents become files. */
function readDocument(block: Field, protocol: Protocol): readonly ChatPart[] {
  const { at } = block;
  const source = readSource(block);
  if (source === null) return [];
  const filename = readText(block, 'title');
  const before = titleParts(block, ['title', 'context']);
  switch (member(source.object, 'type')) {
    case 'text':
      return [...before, ...textPart(readText(source, 'data') ?? '', at)];
    case 'content':
      return [...before, ...readContent(source, 'content', protocol)];
    case 'base64':
      return [
        ...titleParts(block, ['context']),
        { kind: 'file', data: dataUrl(source), filename, at },
      ];
    case 'url': {
      const data = readName(source, 'url');
      return [...titleParts(block, ['context']), { kind: 'file', data, filename, at }];
    }
    default:
      return refuseSource(source, 'documents', protocol);
  }
}

function titleParts(block: Field, names: readonly string[]): readonly ChatPart[] {
  const lines = names.flatMap((name) => readText(block, name) ?? []);
  return textPart(lines.join('\n'), block.at);
}

function readSource(block: Field): Field | null {
  const { at, refusals } = block;
  const object = readObject(block, 'source');
  const place = below(at, 'source');
  if (object !== null) return { object, at: place, refusals };
  refusals.push(invalid(place, mustBe('an object', object)));
  return null;
}

const dataUrl = (source: Field): string =>
  `data:${readName(source, 'media_type')};base64,${readName(source, 'data')}`;

/** Other backends cannot read a file that is stored at the vendor. */
function refuseSource(source: Field, what: string, protocol: Protocol): readonly [] {
  const { object, at, refusals } = source;
  const type = member(object, 'type');
  if (typeof type === 'string') {
    const feature = `${what} from a source of type ${type.slice(0, typeCharactersMax)}`;
    refusals.push(unsupported(protocol, feature, below(at, 'type')));
  } else refusals.push(invalid(below(at, 'type'), mustBe('a string', type)));
  return [];
}
