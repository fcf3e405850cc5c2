// The answer to what is no request, written to the socket by hand: there is no exchange that it could be the answer of.

/** The body says the id, too. */
export type MalformedAnswer = Readonly<{ requestId: string; body: string }>;

type Known = Readonly<{ status: string; message: string }>;

/** By the code of the error that the parser gives. */
const known: Readonly<Record<string, Known>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'the request took too long' },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'the headers are too long',
  },
};

const unreadable = (code = 'malformed'): Known => ({
  status: '400 Bad Request',
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
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-request-id: ${requestId}\r\n` +
    `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
