// Reads the required output format: a JSON schema, in the API's current or beta spelling.

import type { ChatResponseFormat } from '../chat.ts';
import { below, readChoice, readObject } from '../read-fields.ts';
import { mustBe } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid } from '../refusal.ts';

export function readResponseFormat(field: Field): ChatResponseFormat {
  const { refusals } = field;
  const config = readObject(field, 'output_config');
  const inside = { object: config ?? {}, at: 'output_config', refusals };
  const stable = readFormat(inside, 'format');
  return stable ?? readFormat(field, 'output_format') ?? { kind: 'text' };
}

function readFormat(field: Field, name: string): ChatResponseFormat | null {
  const { refusals } = field;
  const object = readObject(field, name);
  if (object === null) return null;
  const at = below(field.at, name);
  const format = { object, at, refusals };
  if (readChoice(format, 'type', ['json_schema']) === null) {
    refusals.push(invalid(below(at, 'type'), mustBe('json_schema', object['type'])));
  }
  const schema = readObject(format, 'schema');
  if (schema === null) {
    refusals.push(invalid(below(at, 'schema'), mustBe('an object', schema)));
  }
  return { kind: 'json_schema', schema };
}
