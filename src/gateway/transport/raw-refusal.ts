// The answer to what is no request, written to the socket by hand: there is no exchange that it could be the answer of.

import { STATUS_CODES } from 'node:http';

/** The body says the id, too. */
export type MalformedAnswer = Readonly<{ requestId: string; body: string }>;

type Known = Readonly<{ status: number; message: string }>;

/** RFC 9110, section 15.6.6. */
const otherVersion: Known = {
  status: 505,
  message: 'the version of HTTP must be 1.1 or 1.0',
};

/** By the code of the error that the parser gives, but for a tunnel, which is none to it. */
const known: Readonly<Record<string, Known>> = {
  CONNECT: { status: 501, message: 'the method CONNECT is not served' },
  HPE_INVALID_VERSION: otherVersion,
  HPE_PAUSED_H2_UPGRADE: otherVersion,
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long' },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: 'the headers are too long',
  },
};

const unreadable = (code = 'malformed'): Known => ({
  status: 400,
  message: `not an HTTP request (${code})`,
});

/** The whole answer; 400 for what has no other status. */
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
