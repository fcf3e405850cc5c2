// The answer to bytes that are no request, written to the socket by hand: there is no exchange that it could be the answer of.

/** By the code of the error that the parser gives. */
const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** The whole answer; 400 for what has no other status. */
export function rawRefusal(code: string | undefined, body: (message: string) => string): string {
  const status = statuses[code ?? ''] ?? '400 Bad Request';
  const text = body(code ?? 'malformed request');
  return (
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}
