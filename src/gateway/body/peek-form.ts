// Finds the routing fields of an uploaded form: the model name and the stream flag. Refuses
// ambiguous forms.

import { isUtf8 } from 'node:buffer';

import { estimateTokens } from '../../usage/estimate.ts';
import { isFormProblem, readForm } from './multipart.ts';
import type { Part } from './multipart.ts';
import { refuseAmbiguous, refusePeek, refuseValue } from './peek.ts';
import type { PeekedForm, PeekRefusal } from './peek.ts';

/** Longer than the name of any provider model. */
export const modelBytesMax = 1000;

const routingNames = ['model', 'stream', '_charset_'] as const;
type RoutingName = (typeof routingNames)[number];
const valueBytesMax: Readonly<Record<RoutingName, number>> = {
  model: modelBytesMax,
  stream: 8,
  _charset_: 8,
};

/** Upstreams disagree about other values of a form flag. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export function peekForm(body: Buffer, boundary: string): PeekedForm | PeekRefusal {
  const parts = readForm(body, boundary);
  if (isFormProblem(parts)) return refusePeek(`body is not a valid form: ${parts.problem}`);
  const fields = new Map<RoutingName, Part>();
  let fileBytes = 0;
  for (const part of parts) {
    if (part.isFile) fileBytes += part.end - part.start;
    const name = routingNameOf(part.name);
    if (name === null) continue;
    if (part.name !== name || part.isFile || fields.has(name)) return refuseAmbiguous(name);
    fields.set(name, part);
  }
  const values = readValues(body, fields);
  if (!(values instanceof Map)) return values;
  const model = values.get('model');
  const modelPart = fields.get('model');
  if (model === undefined || modelPart === undefined || model === '') {
    return refusePeek('model must be a non-empty text field', 'model');
  }
  const stream = values.get('stream') ?? 'false';
  const isStream = flags.get(stream.toLowerCase());
  if (isStream === undefined) {
    return refuseValue('stream', 'true or false', JSON.stringify(stream));
  }
  const { start, end } = modelPart;
  // Uploaded files are not text, like `data:` URLs in JSON.
  const promptEstimate = estimateTokens(body.length - fileBytes);
  const modelSpan = { start, end };
  return { format: 'form', model, modelSpan, isStream, maxTokens: null, promptEstimate };
}

/** The routing field that a parser could read a part of this name as. */
function routingNameOf(name: string): RoutingName | null {
  const [plain = ''] = decoded(name)
    .replaceAll(/[\s'"]/g, '')
    .split('[', 1);
  // Upper case first: some non-ASCII letters map to `s` and `k` only through upper case.
  const folded = plain.toUpperCase().toLowerCase();
  return routingNames.find((one) => one === folded) ?? null;
}

function decoded(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function readValues(
  body: Buffer,
  fields: ReadonlyMap<RoutingName, Part>,
): Map<RoutingName, string> | PeekRefusal {
  const values = new Map<RoutingName, string>();
  for (const [name, part] of fields) {
    if (part.end - part.start > valueBytesMax[name]) return refusePeek(`${name} is too long`, name);
    const bytes = body.subarray(part.start, part.end);
    if (!isPlainText(part, bytes)) return refusePeek(`${name} must be plain UTF-8 text`, name);
    values.set(name, bytes.toString());
  }
  const charset = values.get('_charset_') ?? 'utf-8';
  if (charset.toLowerCase() === 'utf-8') return values;
  return refuseValue('_charset_', 'utf-8', JSON.stringify(charset));
}

const textTypes = /^text\/plain(?:[\t ]*;[\t ]*charset="?(?:utf-8|us-ascii|iso-8859-1)"?)?$/;
const identityEncodings = /^(?:7bit|8bit|binary)$/;

function isPlainText({ contentType, transferEncoding }: Part, bytes: Buffer): boolean {
  if (contentType !== null && !textTypes.test(contentType)) return false;
  if (transferEncoding !== null && !identityEncodings.test(transferEncoding)) return false;
  return isUtf8(bytes) && !/\p{Cc}/u.test(bytes.toString());
}
