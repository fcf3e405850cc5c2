// Requests whose end HTTP parsers are known to disagree about. A parser that finds `/smuggled`
// reads a request that the client did not send.

const hidden = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
const chunkedEnd = '0\r\n\r\n';

const post = (fields: readonly string[], body: string, version = 'HTTP/1.1'): string =>
  `POST /v1/x ${version}\r\nhost: x\r\n${fields.join('\r\n')}\r\n\r\n${body}`;
const length = (value: number | string): string => `content-length: ${value}`;
const whole = length(hidden.length);
const both = length(chunkedEnd.length + hidden.length);
const coded = 'transfer-encoding: chunked';

/**
 * Transfer codings that only some parsers treat as chunked, each before a length that covers the
 * hidden request.
 */
const codings = [
  'transfer-encoding: chunked',
  'Transfer-Encoding:chunked',
  'transfer-encoding : chunked',
  'transfer-encoding:\tchunked',
  'transfer-encoding: chunked ',
  'transfer-encoding: Chunked',
  'transfer-encoding: xchunked',
  'transfer-encoding: chunkedx',
  'transfer-encoding: "chunked"',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: identity, chunked',
  'transfer-encoding: identity',
  'transfer-encoding: chunked\r\ntransfer-encoding: x',
  'transfer-encoding: x\r\ntransfer-encoding: chunked',
  ' transfer-encoding: chunked',
  'x: y\r\n transfer-encoding: chunked',
  'x: y\ntransfer-encoding: chunked',

  'transfer-encoding\n : chunked',
  'transfer-encoding:\r\n chunked',
  'transfer-encoding: \x0bchunked',
  'transfer_encoding: chunked',
  'transfer-encoding\0: chunked',
  'transfer-encoding: chunked\0',

  'x: y\rtransfer-encoding: chunked',
  ':\r\ntransfer-encoding: chunked',
  'tRANSFER-ENCODING: chunked',
];

/** Lengths that one parser reads as the whole body and another as an empty body. */
const lengths = [
  `content-length: 0\r\n${whole}`,
  `${whole}\r\ncontent-length: 0`,
  `content-length: 0, ${hidden.length}`,
  `content-length: +${hidden.length}`,
  'content-length: -1',
  `content-length : ${hidden.length}`,
  `content-length: 0x${hidden.length.toString(16)}`,
  'content-length: 0 0',
  'content-length:',
  `content-length: 0${hidden.length}`,
  `content-length: ${hidden.length}.0`,
  'content-length: 0;',
  `content-length\0: ${hidden.length}`,
  `content_length: ${hidden.length}\r\ncontent-length: 0`,
  `content-length: 18446744073709551616`,
  `content-length: 0\n${whole}`,
  `x: y\r\n ${whole}`,
  `content-length: \x0b0`,
  `x: y\r${whole}`,
  `content-length: 0\r\n ${hidden.length}`,
];

export const smuggled: readonly string[] = [
  ...codings.map((coding) => post([coding, both], chunkedEnd + hidden)),
  ...codings.map((coding) => post([both, coding], chunkedEnd + hidden)),
  ...codings.map((coding) => post([length(4), coding], `24\r\n${hidden}\r\n0\r\n\r\n`)),
  ...lengths.map((field) => post([field], hidden)),
  post([coded, both], chunkedEnd + hidden, 'HTTP/1.0'),
  post([length(0)], hidden, 'HTTP/2.0'),
  post([], hidden),
  post([coded], `0\r\n${hidden}`),
  post([coded], `0;\n${hidden}\r\n0\r\n\r\n`),
  post([coded], `1\n${hidden}`),
  post([coded], `-1\r\n${hidden}`),
  post([coded], `0x0\r\n\r\n${hidden}`),
  post([coded], `1ffffffffffffffff\r\n${hidden}`),
  post(['connection: close', length(0)], hidden),
  post(['connection: content-length', whole], hidden),
  post(['upgrade: h2c', 'connection: upgrade', length(0)], hidden),
  post(['expect: 100-continue', length(0)], hidden),
  post(['host: y', length(0)], hidden),
  `GET /v1/x HTTP/1.1\r\nhost: x\r\n${whole}\r\n\r\n${hidden}`,
  `GET http://y/v1/x HTTP/1.1\r\nhost: x\r\n\r\n${hidden}`,
  `GET /v1/x\r\nhost: x\r\n\r\n${hidden}`,
  `GET /v1/x HTTP/1.1\nhost: x\n\n${hidden}`,
  `GET /v1/x HTTP/1.1\r\nhost: x\r\n\n${hidden}`,
  `GET /v1/x HTTP/1.1\rhost: x\r\r${hidden}`,
  `HEAD /v1/x HTTP/1.1\r\nhost: x\r\n${whole}\r\n\r\n${hidden}`,
  `\r\n\r\n${post([length(0)], hidden)}`,
];
