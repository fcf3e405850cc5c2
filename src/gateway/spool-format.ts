// How spooled usage is written: a line that names format and replica, then a line an event, its JSON behind a CRC-32 of it.

import { crc32 } from 'node:zlib';

import type { UsageEvent } from '../usage/usage-event.ts';

const format = 'gw-usage-spool-v1';

export type SpooledEvents = Readonly<{
  replica: string;
  events: readonly unknown[];
  /** Lines that could not be read. */
  torn: number;
}>;

export const spoolHead = (replica: string): Buffer =>
  Buffer.from(`${format} ${JSON.stringify(replica)}\n`);

/** The lines of as many events, from the first one on, as there is room for. */
export function spoolLines(
  events: readonly UsageEvent[],
  bytesMax: number,
): Readonly<{ lines: Buffer; count: number }> {
  const lines: Buffer[] = [];
  let bytes = 0;
  for (const event of events) {
    const json = JSON.stringify(event);
    const line = Buffer.from(`${checksum(json)} ${json}\n`);
    if (bytes + line.length > bytesMax) break;
    lines.push(line);
    bytes += line.length;
  }
  return { lines: Buffer.concat(lines), count: lines.length };
}

/** Nothing of a file whose first line did not come whole: no event stands behind it. */
export function readSpool(bytes: Buffer): SpooledEvents {
  const [head = '', ...lines] = bytes.toString('utf8').split('\n');
  const replica = readHead(head);
  if (replica === null) return { replica: '', events: [], torn: bytes.length === 0 ? 0 : 1 };
  const whole = lines.filter((line) => line !== '');
  const events = whole.flatMap(readLine);
  return { replica, events, torn: whole.length - events.length };
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0');

function readHead(line: string): string | null {
  if (!line.startsWith(`${format} `)) return null;
  const replica = parseJson(line.slice(format.length + 1));
  return typeof replica === 'string' ? replica : null;
}

function readLine(line: string): readonly unknown[] {
  const json = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== checksum(json)) return [];
  const event = parseJson(json);
  return event === undefined ? [] : [event];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
