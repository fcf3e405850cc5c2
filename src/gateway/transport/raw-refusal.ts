// Builds the raw answer to bytes that are not a valid request, for which there is no exchange.

import { STATUS_CODES } from 'node:http';

/** `body` contains the request id too. */
export type MalformedAnswer = Readonly<{ requestId: string; body: string }>;

type Known = Readonly<{ status: number; message: string }>;

/** RFC 9110, section 15.6.6. */
const otherVersion: Known = {
  status: 505,
  message: 'the HTTP version must be 1.1 or 1.0',
};

/** By the parser's error code. CONNECT is not a parser error. */
const known: Readonly<Record<string, Known>> = {
  CONNECT: { status: 501, message: 'the method CONNECT is not supported' },
  HPE_INVALID_VERSION: otherVersion,
  HPE_PAUSED_H2_UPGRADE: otherVersion,
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request was not received in time' },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: 'the headers are too long',
  },
};

const unreadable = (code = 'malformed'): Known => ({
  status: 400,
  message: `the bytes received are not a valid HTTP request (${code})`,
});

/** The complete answer, with status 400 for unknown codes. */
export function rawRefusal(
  code: string | undefined,
  answer: (message: string) => MalformedAnswer,
): string {
  const { status, message } = known[code ?? ''] ?? unreadable(code);
  const { requestId, body } = answer(message);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json\r\nx-request-id: ${requestId}\r\n` +
    `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
