// Reads and writes the W3C header that carries a trace from service to service (https://www.w3.org/TR/trace-context/, version 00).

export type TraceParent = Readonly<{
  /** 32 and 16 hex digits. */
  traceId: string;
  spanId: string;
  /** What the sender decided. */
  isSampled: boolean;
}>;

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/** Null for what is absent, comes twice or is malformed: the request then has no trace to be part of. */
export function readTraceParent(header: string | undefined): TraceParent | null {
  const read = form.exec(header ?? '');
  if (read === null) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = read;
  // A later version may say more at the end; version 00 may not, and ff is none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export const writeTraceParent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
