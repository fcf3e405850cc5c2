// Decides how a request body is parsed, from its Content-Type (RFC 9110, section 8.3). Refuses
// ambiguous values, because the gateway and the upstream must find the same model in the body.

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
 * RFC 2046, section 5.1.1: 1 to 70 of these characters, not ending in a space. A boundary of only
 * hyphens is refused, because it could match the end of another.
 */
const boundaryPattern = /^(?!-+$)[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
/** Charsets in which ASCII bytes are only ASCII characters, so that no other text can hide in them. */
const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'iso-8859-1']);

const refuse = (reason: Refused, problem: string): BodyFormat => ({
  kind: 'refused',
  reason,
  message: `content-type: ${problem}`,
});

const quoted = (text: string): string => JSON.stringify(shortened(text));

/** A body without Content-Type is JSON. */
export function formatOf(contentType: string | undefined, route: ProxiedRoute): BodyFormat {
  if (contentType === undefined || contentType === 'application/json') return json;
  const parameters = new Map<string, string>();
  const type = readMediaType(contentType, parameters);
  if (type === null)
    return refuse('malformed_request', `${quoted(contentType)} is not a valid media type`);
  const charset = parameters.get('charset')?.toLowerCase();
  if (charset !== undefined && !charsets.has(charset)) {
    return refuse('unsupported_media_type', `charset must be utf-8, not ${quoted(charset)}`);
  }
  if (type === 'multipart/form-data' && route.takesForm) {
    const boundary = parameters.get('boundary');
    if (boundary !== undefined && boundaryPattern.test(boundary)) return { kind: 'form', boundary };
    return refuse('malformed_request', 'boundary must be 1 to 70 characters that RFC 2046 allows');
  }
  // On routes that take forms, an upstream may also parse other form types, so JSON is the only
  // alternative.
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
 * Null when the type is invalid, repeats a parameter or uses the extended notation of RFC 8187,
 * which few parsers support.
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
