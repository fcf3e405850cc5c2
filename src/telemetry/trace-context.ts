// Reads and writes the W3C traceparent header, which carries a trace between services
// (https://www.w3.org/TR/trace-context/, version 00).

export type TraceParent = Readonly<{
  /** 32 and 16 hex digits. */
  traceId: string;
  spanId: string;
  /** The sampling decision of the sender. */
  isSampled: boolean;
}>;

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/**
 * Null if the header is absent, repeated or malformed. The request is then not part of an upstream
 * trace.
 */
export function readTraceParent(header: string | undefined): TraceParent | null {
  const read = form.exec(header ?? '');
  if (read === null) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = read;
  // Later versions may append fields; version 00 may not, and version ff is invalid.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export const writeTraceParent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
