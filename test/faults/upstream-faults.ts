// Lists the faults of upstreams and how a request then ends. Each is a row of
// docs/reference/upstream-faults.md.

import { delta } from '../harness/upstream/upstream.ts';
import {
  answersWith,
  bodies,
  chunk,
  chunkedHead,
  dribbles,
  errorFrame,
  errorIn200,
  gzipped,
  half,
  head,
  refusesUnread,
  says,
  saysAndEnds,
  saysAndResets,
  whole,
} from './upstream-plays.ts';
import type { Asked, Play } from './upstream-plays.ts';

export type Ending =
  /** The next backend is tried; without one, the client gets 502 `no_backend`. */
  | Readonly<{ kind: 'unreached' }>
  /** The next backend is tried; without one, the client gets this status and body. */
  | Readonly<{ kind: 'declined'; status: number }>
  /** The client gets this status and body, and no other backend is tried. */
  | Readonly<{ kind: 'relayed'; status: number }>
  /** The client's transfer is aborted after this status, and no other backend is tried. */
  | Readonly<{ kind: 'cut'; status: number }>
  /** The next backend is tried; without one, like `cut`. */
  | Readonly<{ kind: 'declined and cut'; status: number }>;

/** Upstreams other than a socket of the test's own. */
export type Place = 'refused' | 'nameless' | 'mute' | 'plain' | 'untrusted' | 'stuck' | 'hasty';

export type Fault = Readonly<{
  /** The description of the fault in the page. */
  does: string;
  at?: Place;
  play?: Play;
  /** The request ends by a time limit. */
  isSilent?: boolean;
  /** Each request uses a connection that has carried a request before. */
  isKept?: boolean;
  ends: Readonly<Record<Asked, Ending>>;
  /** For a row that covers several statuses: the statuses and their behaviour. */
  each?: Readonly<{ statuses: readonly number[]; play: (status: number) => Play }>;
  /** The request is longer than one read of the upstream. */
  isLong?: boolean;
  /** The number of upstream requests per client request; 1 by default. */
  requests?: number;
  /** Fields that the client's response must contain. */
  shows?: Readonly<Record<string, string>>;
}>;

const both = (ending: Ending): Fault['ends'] => ({ json: ending, stream: ending });
const unreached = both({ kind: 'unreached' });
const relayed = (status: number) => both({ kind: 'relayed', status });
const declined = (status: number) => both({ kind: 'declined', status });
const cut = both({ kind: 'cut', status: 200 });
/** The client gets the head of a stream immediately, but nothing of a possible error. */
const cutStream: Fault['ends'] = {
  json: { kind: 'unreached' },
  stream: { kind: 'cut', status: 200 },
};

const connecting: readonly Fault[] = [
  { does: 'refuses the connection', at: 'refused', ends: unreached },
  { does: 'has a name that does not resolve', at: 'nameless', ends: unreached },
  { does: 'never accepts the connection', isSilent: true, at: 'stuck', ends: unreached },
  { does: 'never completes the TLS handshake', isSilent: true, at: 'mute', ends: unreached },
  { does: 'does not speak TLS where TLS is expected', at: 'plain', ends: unreached },
  { does: 'has a certificate that is not trusted', at: 'untrusted', ends: unreached },
];

const beforeHead: readonly Fault[] = [
  { does: 'closes without answering', play: saysAndEnds(''), ends: unreached },
  { does: 'resets without answering', play: (socket) => socket.resetAndDestroy(), ends: unreached },
  {
    does: 'closes in the middle of its head',
    play: saysAndEnds('HTTP/1.1 200 OK\r\ncont'),
    ends: unreached,
  },
  {
    does: 'resets in the middle of its head',
    play: saysAndResets('HTTP/1.1 200 OK\r\ncont'),
    ends: unreached,
  },
  { does: 'does not answer in time', isSilent: true, ends: unreached },
  {
    does: 'sends its head byte by byte, too slowly',
    isSilent: true,
    play: dribbles((asked) => whole(asked).split(''), 20),
    ends: unreached,
  },
  { does: 'does not speak HTTP', play: says('nonsense\r\n\r\n'), ends: unreached },
  {
    does: 'speaks another version of HTTP',
    play: says('HTTP/2 200 OK\r\ncontent-length: 0\r\n\r\n'),
    ends: unreached,
  },
  {
    does: 'has a status line without a status',
    play: says('HTTP/1.1 OK\r\n\r\n'),
    ends: unreached,
  },
  {
    does: 'has a status below 100 or above 599',
    each: {
      statuses: [99, 600, 999],
      play: (status) =>
        says(`HTTP/1.1 ${String(status).padStart(3, '0')} Odd\r\ncontent-length: 0\r\n\r\n`),
    },
    ends: unreached,
  },
  {
    does: 'switches protocols (101)',
    play: says('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ends: unreached,
  },
  {
    does: 'never gets past interim answers (103)',
    play: says('HTTP/1.1 103 Early\r\n\r\n'.repeat(50)),
    ends: unreached,
  },
  {
    does: 'sends a head of more than 16 KiB',
    play: says((asked) => head(asked, `x: ${'y'.repeat(17_000)}`, 'content-length: 0')),
    ends: unreached,
  },
  {
    does: 'folds a header over two lines',
    play: says((asked) => head(asked, 'x: a', ' b', 'content-length: 0')),
    ends: unreached,
  },
  {
    does: 'has a control character in a header',
    play: says((asked) => head(asked, 'x: a\0b', 'content-length: 0')),
    ends: unreached,
  },
  {
    does: 'ends its lines with a line feed alone',
    play: says((asked) => whole(asked).replaceAll('\r\n', '\n')),
    ends: unreached,
  },
  {
    does: 'gives two lengths',
    play: says((asked) => head(asked, 'content-length: 1', 'content-length: 2')),
    ends: unreached,
  },
  {
    does: 'gives a length that is not a number',
    play: says((asked) => head(asked, 'content-length: -1')),
    ends: unreached,
  },
  {
    does: 'gives a length and chunks',
    play: says(
      (asked) => head(asked, 'content-length: 5', 'transfer-encoding: chunked') + chunk('ab'),
    ),
    ends: unreached,
  },
  {
    does: 'sends a transfer coding other than chunked',
    play: says((asked) => head(asked, 'transfer-encoding: gzip, chunked')),
    ends: unreached,
  },
];

const inBody: readonly Fault[] = [
  {
    does: 'closes after its head',
    play: saysAndEnds((asked) => head(asked, 'content-length: 50')),
    ends: cutStream,
  },
  {
    does: 'resets after its head',
    play: saysAndResets((asked) => head(asked, 'content-length: 50')),
    ends: cutStream,
  },
  {
    does: 'falls silent after its head',
    isSilent: true,
    play: says((asked) => head(asked, 'content-length: 50')),
    ends: cutStream,
  },
  {
    does: 'sends less than its length and closes',
    play: saysAndEnds((asked) => head(asked, 'content-length: 5000') + half(asked)),
    ends: cut,
  },
  {
    does: 'sends less than its length and resets',
    play: saysAndResets((asked) => head(asked, 'content-length: 5000') + half(asked)),
    ends: cut,
  },
  {
    does: 'falls silent in the middle of its body',
    isSilent: true,
    play: says((asked) => chunkedHead(asked) + chunk(half(asked))),
    ends: cut,
  },
  {
    does: 'closes before the last chunk',
    play: saysAndEnds((asked) => chunkedHead(asked) + chunk(half(asked))),
    ends: cut,
  },
  {
    does: 'resets before the last chunk',
    play: saysAndResets((asked) => chunkedHead(asked) + chunk(half(asked))),
    ends: cut,
  },
  {
    does: 'begins with a broken chunk',
    play: says((asked) => `${chunkedHead(asked)}${chunk(half(asked))}zz\r\n`),
    ends: unreached,
  },
  {
    does: 'begins with a chunk of an impossible size',
    play: says((asked) => `${chunkedHead(asked)}${'f'.repeat(20)}\r\n`),
    ends: unreached,
  },
  {
    does: 'breaks off with a broken chunk',
    play: dribbles((asked) => [chunkedHead(asked) + chunk(half(asked)), 'zz\r\n'], 60),
    ends: cut,
  },
  {
    does: 'announces a huge chunk and closes',
    play: saysAndEnds((asked) => `${chunkedHead(asked)}fffffffffff\r\n${half(asked)}`),
    ends: cut,
  },
  {
    does: 'sends a chunk longer than its size',
    play: dribbles((asked) => [chunkedHead(asked) + chunk(half(asked)), `5\r\n${half(asked)}`], 60),
    ends: cut,
  },
  {
    does: 'sends a body without length and resets',
    play: saysAndResets((asked) => head(asked) + half(asked)),
    ends: cut,
  },
  {
    does: 'answers 500 and cuts its body',
    play: saysAndEnds('HTTP/1.1 500 x\r\ncontent-length: 50\r\n\r\n{"error":'),
    ends: both({ kind: 'declined and cut', status: 500 }),
  },
];

const statuses: readonly Fault[] = [
  {
    does: 'answers 429, with `Retry-After`',
    play: answersWith(429, 'retry-after: 7'),
    ends: declined(429),
    shows: { 'retry-after': '7' },
  },
  {
    does: 'answers 5xx',
    each: { statuses: [500, 501, 502, 503, 504, 507, 520, 529, 599], play: answersWith },
    ends: declined(0),
  },
  {
    does: 'answers 4xx other than 429',
    each: {
      statuses: [
        400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 424, 425, 431, 451, 499,
      ],
      play: answersWith,
    },
    ends: relayed(0),
  },
  {
    does: 'redirects',
    each: {
      statuses: [300, 301, 302, 303, 307, 308],
      play: (status) => answersWith(status, 'location: http://127.0.0.1:1/'),
    },
    ends: relayed(0),
  },
  {
    does: 'answers with a status that has no body',
    each: { statuses: [204, 205, 304], play: answersWith },
    ends: relayed(0),
  },
  {
    does: 'answers 200 with the JSON of an error that names a status',
    play: says(errorIn200({ message: 'x', code: 503 })),
    ends: declined(503),
  },
  {
    does: 'answers 200 with the JSON of an error without a status',
    play: says(errorIn200({ message: 'x' })),
    ends: declined(502),
  },
  {
    does: 'answers 200 with the JSON of an error that names a 4xx',
    play: says(errorIn200({ message: 'x', code: 404 })),
    ends: relayed(404),
  },
];

const sound: readonly Fault[] = [
  {
    does: 'sends an error as the first event of a stream',
    play: says(head('stream', `content-length: ${errorFrame.length}`) + errorFrame),
    ends: relayed(200),
  },
  {
    does: 'sends an error in the middle of a stream',
    play: saysAndEnds(head('stream') + delta('a') + errorFrame),
    ends: relayed(200),
  },
  {
    does: 'answers 200 with an HTML page',
    play: saysAndEnds('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>'),
    ends: relayed(200),
  },
  {
    does: 'answers 200 with an empty body',
    play: says((asked) => head(asked, 'content-length: 0')),
    ends: relayed(200),
  },
  {
    does: 'compresses its body although asked not to',
    play: (socket) => {
      socket.write(head('json', 'content-encoding: gzip', `content-length: ${gzipped.length}`));
      socket.write(gzipped);
    },
    ends: relayed(200),
    shows: { 'content-encoding': 'gzip' },
  },
  {
    does: 'sends more than its length',
    play: says((asked) => `${whole(asked)}surplus`),
    ends: relayed(200),
  },
  {
    does: 'sends more after the last chunk',
    play: says((asked) => `${chunkedHead(asked)}${chunk(bodies[asked])}0\r\n\r\nsurplus`),
    ends: relayed(200),
  },
  { does: 'answers twice', play: says((asked) => whole(asked).repeat(2)), ends: relayed(200) },
  {
    does: 'sends interim answers first',
    play: says((asked) => 'HTTP/1.1 103 Early\r\n\r\n'.repeat(3) + whole(asked)),
    ends: relayed(200),
  },
  {
    does: 'is slow to send its body',
    play: dribbles(
      (asked) => [
        head(asked, `content-length: ${bodies[asked].length}`),
        half(asked),
        bodies[asked].slice(half(asked).length),
      ],
      120,
    ),
    ends: relayed(200),
  },
  { does: 'answers before the request is sent', at: 'hasty', ends: relayed(200) },
  {
    does: 'refuses with 413 before it has read the request, and closes',
    isLong: true,
    play: refusesUnread,
    ends: relayed(413),
  },
  {
    does: 'closes its side after a body without length',
    play: saysAndEnds((asked) => head(asked) + bodies[asked]),
    ends: relayed(200),
  },
  {
    does: 'speaks HTTP/1.0',
    play: saysAndEnds((asked) => head(asked).replace('HTTP/1.1', 'HTTP/1.0') + bodies[asked]),
    ends: relayed(200),
  },
  {
    does: 'closes an idle connection as a request is sent on it',
    isKept: true,
    play: (socket, asked, turn) =>
      turn === 0 ? says(whole)(socket, asked, turn) : socket.destroy(),
    ends: relayed(200),
    requests: 2,
  },
];

export const faults: readonly Fault[] = [
  ...connecting,
  ...beforeHead,
  ...inBody,
  ...statuses,
  ...sound,
];
