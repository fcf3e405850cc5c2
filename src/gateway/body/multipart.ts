// Reads the parts of a multipart/form-data body (RFC 7578 and RFC 2046) in place. It is stricter
// than the grammar where parsers differ, because an upstream could parse the body as another form:
// no text before the first part or after the last, no delimiter that a lenient parser could find
// elsewhere, no folded or repeated header.

export type Part = Readonly<{
  name: string;
  /** The part has a file name, so its content is not text. */
  isFile: boolean;
  /** In lower case. Null when the part has none. */
  contentType: string | null;
  transferEncoding: string | null;
  /** Offsets of the content. `end` is exclusive. */
  start: number;
  end: number;
}>;

export type FormProblem = Readonly<{ problem: string }>;

/** More than any client of the proxied routes sends. */
export const partsMax = 256;
export const partHeadBytesMax = 4096;
const headLinesMax = 16;

const problem = (text: string): FormProblem => ({ problem: text });

export const isFormProblem = (value: readonly Part[] | Part | FormProblem): value is FormProblem =>
  'problem' in value;

export function readForm(body: Buffer, boundary: string): readonly Part[] | FormProblem {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = isLineEnd(body, 0) ? 2 : 0;
  if (body.indexOf(delimiter) !== at) return problem('the body does not begin with its boundary');
  for (;;) {
    at += delimiter.length;
    if (isCloseAt(body, at)) return parts;
    if (!isLineEnd(body, at)) return problem('a boundary must be followed by a line end');
    if (parts.length >= partsMax) return problem(`it has more than ${partsMax} parts`);
    const next = body.indexOf(delimiter, at);
    if (next === -1) return problem('the last boundary is missing');
    // The line end before a delimiter belongs to it. Parsers disagree about a boundary that appears anywhere else.
    if (next < at + 4 || !isLineEnd(body, next - 2)) {
      return problem('the boundary appears inside a part');
    }
    const part = readPart(body, at + 2, next - 2);
    if (isFormProblem(part)) return part;
    parts.push(part);
    at = next;
  }
}

const isLineEnd = (body: Buffer, at: number): boolean => body[at] === 0x0d && body[at + 1] === 0x0a;

/** Two hyphens after the last boundary, followed by at most one line end. */
function isCloseAt(body: Buffer, at: number): boolean {
  if (body[at] !== 0x2d || body[at + 1] !== 0x2d) return false;
  const end = at + 2;
  return end === body.length || (isLineEnd(body, end) && end + 2 === body.length);
}

function readPart(body: Buffer, from: number, end: number): Part | FormProblem {
  const bound = Math.min(end, from + partHeadBytesMax);
  const headEnd = body.subarray(from, bound).indexOf('\r\n\r\n');
  if (headEnd === -1) {
    return problem(`the headers of a part are missing or longer than ${partHeadBytesMax} bytes`);
  }
  const head = body.toString('latin1', from, from + headEnd);
  return readHead(head, { start: from + headEnd + 4, end });
}

const headLine = /^([!#$%&'*+.^_`|~\w-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const singular: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-type',
  'content-transfer-encoding',
]);

function readHead(head: string, content: Pick<Part, 'start' | 'end'>): Part | FormProblem {
  const lines = head.split('\r\n', headLinesMax + 1);
  if (lines.length > headLinesMax)
    return problem(`a part has more than ${headLinesMax} header lines`);
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = headLine.exec(line) ?? [];
    if (name === '') return problem('a header line of a part is malformed');
    const key = name.toLowerCase();
    if (fields.has(key) && singular.has(key)) return problem(`${key} of a part is given twice`);
    fields.set(key, value.trimEnd());
  }
  const disposition = readDisposition(fields.get('content-disposition') ?? '');
  if (disposition === null) return problem('content-disposition of a part is missing or malformed');
  return {
    ...disposition,
    ...content,
    contentType: fields.get('content-type')?.toLowerCase() ?? null,
    transferEncoding: fields.get('content-transfer-encoding')?.toLowerCase() ?? null,
  };
}

const formData = /^form-data(?=;)/i;
const parameter = /;[\t ]*([\w-]+\*?)=(?:([!#$%&'*+.^_`|~\w-]+)|"([^"]*)")/y;

/**
 * A quote in a quoted value must be written as %22 (RFC 7578, section 2). Some parsers end the value at a
 * backslash-escaped quote and read the rest as another parameter.
 */
function readDisposition(text: string): Pick<Part, 'name' | 'isFile'> | null {
  const parameters = new Map<string, string>();
  let at = formData.exec(text)?.[0].length ?? -1;
  if (at === -1) return null;
  while (at < text.length) {
    parameter.lastIndex = at;
    const [, key = '', plain, quoted = ''] = parameter.exec(text) ?? [];
    if (key === '' || quoted.endsWith('\\') || parameters.has(key.toLowerCase())) return null;
    parameters.set(key.toLowerCase(), plain ?? quoted);
    at = parameter.lastIndex;
  }
  const name = parameters.get('name');
  if (name === undefined || name.includes('\\') || parameters.has('name*')) return null;
  const isFile = parameters.has('filename') || parameters.has('filename*');
  return { name: Buffer.from(name, 'latin1').toString(), isFile };
}
