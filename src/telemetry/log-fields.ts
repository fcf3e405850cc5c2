// Limits the values of a log line: shortens them, logs only message, code and causes of errors, and
// hides text that looks like a secret. Callers must not log secrets; this is the second safeguard.

export type LogFields = Readonly<Record<string, unknown>>;

/** In characters: all values of a line, one text, and a stack. */
const lineMax = 8192;
const textMax = 1024;
const stackMax = 2048;
const depthMax = 4;
const membersMax = 32;
const causesMax = 5;

type Budget = { left: number };

export function boundedFields(fields: LogFields): Record<string, unknown> {
  const budget: Budget = { left: lineMax };
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, membersMax)
      .map(([key, value]) => [key, bounded(value, budget, depthMax)]),
  );
}

export const boundedText = (text: string): string => clip(hideSecrets(text), textMax);

function bounded(value: unknown, budget: Budget, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return spend(boundedText(value), budget);
    case 'number':
    case 'boolean':
    case 'undefined':
      return value;
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      return undefined;
    case 'object':
      break;
  }
  if (value === null) return null;
  if (value instanceof Error) return describeError(value, budget, causesMax);
  if (depth === 0 || budget.left <= 0) return '…';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  // Bytes of a body or a key: log only their number.
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) {
    return value.slice(0, membersMax).map((member) => bounded(member, budget, depth - 1));
  }
  const entries = Object.entries(value).slice(0, membersMax);
  return Object.fromEntries(
    entries.map(([key, member]) => [
      spend(clip(key, textMax), budget),
      bounded(member, budget, depth - 1),
    ]),
  );
}

/**
 * Other properties of an error may repeat sent data, such as a statement's values or a request's
 * headers.
 */
function describeError(error: Error, budget: Budget, causes: number): Record<string, unknown> {
  const code = 'code' in error ? error.code : undefined;
  const { cause } = error;
  return {
    type: clip(error.name, textMax),
    message: spend(boundedText(error.message), budget),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: spend(clip(hideSecrets(framesOf(error)), stackMax), budget),
    ...(cause instanceof Error && causes > 0
      ? { cause: describeError(cause, budget, causes - 1) }
      : {}),
  };
}

/** Without the message, which is logged separately. */
const framesOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join('\n');

function spend(text: string, budget: Budget): string {
  const kept = clip(text, Math.max(0, budget.left));
  budget.left -= kept.length;
  return kept;
}

const clip = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}…`;

/** Credentials in headers and URLs, and the key formats of gw and of vendors. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[^\s"',;]{8,}/gi, '$1 [hidden]'],
  [/:\/\/[^\s/@"']+@/g, '://[hidden]@'],
  [/\bgw-[0-9A-Za-z]{24,}/g, 'gw-[hidden]'],
  [/\b(sk|pk|rk)-[\w-]{16,}/g, '$1-[hidden]'],
  [/\bAIza[\w-]{20,}/g, 'AIza[hidden]'],
  [/-----BEGIN [A-Z ]+-----[^]*?(-----END [A-Z ]+-----|$)/g, '[hidden key]'],
];

const hideSecrets = (text: string): string =>
  secrets.reduce((shown, [pattern, instead]) => shown.replaceAll(pattern, instead), text);
