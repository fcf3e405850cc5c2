// Says how a request body is to be read, from its Content-Type (RFC 9110, section 8.3). A field that
// two readers could read differently is refused: what the gateway takes for the model must be what
// the upstream takes for it.

import { shortened } from '../../lib/text.ts';
import type { ProxiedRoute } from '../routes.ts';

export type BodyFormat =
  | Readonly<{ kind: 'json' }>
  | Readonly<{ kind: 'form'; boundary: string }>
  /** `message` names the field and what is wrong with it. */
  | Readonly<{ kind: 'refused'; reason: Refused; message: string }>;

type Refused = 'unsupported_media_type' | 'malformed_request';

const json: BodyFormat = { kind: 'json' };

const token = "[!#$%&'*+.^_`|~\\w-]+";
const mediaType = new RegExp(`^(${token}/${token})`);
const parameter = new RegExp(`[\\t ]*;[\\t ]*(?:(${token})=(?:(${token})|"([^"\\\\]*)"))?`, 'y');
/**
 * RFC 2046, section 5.1.1: at most 70 characters of these, the last no space. Of hyphens alone, a
 * boundary could be taken for the end of another.
 */
const boundaryPattern = /^(?!-+$)[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
/** Those in which the bytes of ASCII stand for themselves alone: no other text hides in them. */
const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'iso-8859-1']);

const refuse = (reason: Refused, problem: string): BodyFormat => ({
  kind: 'refused',
  reason,
  message: `content-type: ${problem}`,
});

const quoted = (text: string): string => JSON.stringify(shortened(text));

/** Without the field a body is JSON. */
export function formatOf(contentType: string | undefined, route: ProxiedRoute): BodyFormat {
  if (contentType === undefined || contentType === 'application/json') return json;
  const parameters = new Map<string, string>();
  const type = readMediaType(contentType, parameters);
  if (type === null) return refuse('malformed_request', `not a media type: ${quoted(contentType)}`);
  const charset = parameters.get('charset')?.toLowerCase();
  if (charset !== undefined && !charsets.has(charset)) {
    return refuse('unsupported_media_type', `charset must be utf-8, not ${quoted(charset)}`);
  }
  if (type === 'multipart/form-data' && route.takesForm) {
    const boundary = parameters.get('boundary');
    if (boundary !== undefined && boundaryPattern.test(boundary)) return { kind: 'form', boundary };
    return refuse(
      'malformed_request',
      'boundary must be 1 to 70 characters of those that RFC 2046 allows',
    );
  }
  // Beside a form, an upstream may read fields of any other form too.
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (route.takesForm && !isJson) {
    const must = 'must be multipart/form-data or application/json';
    return refuse('unsupported_media_type', `${must}, not ${quoted(type)}`);
  }
  if (type.startsWith('multipart/'))
    return refuse('unsupported_media_type', `must be application/json, not ${quoted(type)}`);
  return json;
}

/**
 * The type in lower case, and its parameters by names in lower case; null when it is none, or has a
 * parameter twice or one in the extended notation of RFC 8187, which few readers know.
 */
function readMediaType(text: string, parameters: Map<string, string>): string | null {
  const type = mediaType.exec(text)?.[1];
  if (type === undefined) return null;
  let at = type.length;
  while (at < text.length) {
    parameter.lastIndex = at;
    const found = parameter.exec(text);
    if (found === null) return text.slice(at).trim() === '' ? type.toLowerCase() : null;
    const name = found[1]?.toLowerCase();
    if (name !== undefined) {
      if (parameters.has(name) || name.includes('*')) return null;
      parameters.set(name, found[2] ?? found[3] ?? '');
    }
    at = parameter.lastIndex;
  }
  return type.toLowerCase();
}
