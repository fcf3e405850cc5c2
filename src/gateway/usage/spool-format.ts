// The format of spooled usage: a line with the format and replica, then one line per event with its CRC-32 and JSON.

import { crc32 } from 'node:zlib';

const format = 'gw-usage-spool-v1';

export type SpooledEvents = Readonly<{
  replica: string;
  /** JSON texts as written. */
  events: readonly string[];
  /** The number of unreadable lines. */
  torn: number;
}>;

export const spoolHead = (replica: string): Buffer =>
  Buffer.from(`${format} ${JSON.stringify(replica)}\n`);

const newLine = Buffer.from('\n');

/** Returns the lines of as many rows as fit. Each row is the JSON of an event. */
export function spoolLines(
  rows: readonly Buffer[],
  bytesMax: number,
): Readonly<{ lines: Buffer; count: number }> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  for (const row of rows) {
    const mark = Buffer.from(`${checksum(row)} `);
    bytes += mark.length + row.length + newLine.length;
    if (bytes > bytesMax) break;
    pieces.push(mark, row, newLine);
    count++;
  }
  return { lines: Buffer.concat(pieces), count };
}

/** Empty when the first line is incomplete: no event follows it. */
export function readSpool(bytes: Buffer): SpooledEvents {
  const [head = '', ...lines] = bytes.toString('utf8').split('\n');
  const replica = readHead(head);
  if (replica === null) return { replica: '', events: [], torn: bytes.length === 0 ? 0 : 1 };
  const whole = lines.filter((line) => line !== '');
  const events = whole.flatMap(readLine);
  return { replica, events, torn: whole.length - events.length };
}

const checksum = (json: string | Buffer): string => crc32(json).toString(16).padStart(8, '0');

function readHead(line: string): string | null {
  if (!line.startsWith(`${format} `)) return null;
  const replica = parseJson(line.slice(format.length + 1));
  return typeof replica === 'string' ? replica : null;
}

/** Invalid JSON would fail the whole batch. */
function readLine(line: string): readonly string[] {
  const json = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== checksum(json)) return [];
  return parseJson(json) === undefined ? [] : [json];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
