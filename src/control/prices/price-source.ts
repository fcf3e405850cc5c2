// Reads a price source from a URL or a file, within size and time limits. Errors do not contain its
// address, which may include a password.

import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { Dispatcher } from 'undici';
import { request } from 'undici';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { readBounded } from '../../lib/bounded-body.ts';
import { EgressRefused } from '../../egress/egress.ts';
import type { ListedEntry } from '../../snapshot/prices/listed-price.ts';
import type { PriceList } from './price-list.ts';

/** The longest known list has 1.6 MB. */
const bytesMax = 8 * 1024 * 1024;
const pagesMax = 20;

type Reading = Readonly<{
  dispatcher: Dispatcher;
  read: (text: string) => PriceList | null;
  signal: AbortSignal;
}>;

export type ReadPrices = Pick<PriceList, 'entries' | 'nonsense'>;

/**
 * `location` is a file or an http or https URL, whose further pages are read too. The code of
 * refusals is `upstream`.
 */
export async function readPriceSource(
  location: string,
  { dispatcher, read, signal }: Reading,
): Promise<ReadPrices | Refusal> {
  const entries = new Map<string, ListedEntry>();
  let nonsense = 0;
  let place: string | null = location;
  for (let page = 0; place !== null && page < pagesMax; page++) {
    const text = await readText(place, { dispatcher, signal });
    if (isRefusal(text)) return text;
    const list = read(text);
    if (list === null) return refuse('upstream', 'it is not a price list');
    for (const [name, entry] of list.entries) if (!entries.has(name)) entries.set(name, entry);
    nonsense += list.nonsense;
    place = nextPlace(place, list.next);
  }
  // A list without any price is an unrelated JSON document.
  const isPriced = [...entries.values()].some(({ price }) => price !== null);
  return isPriced ? { entries, nonsense } : refuse('upstream', 'it contains no prices');
}

const isUrl = (place: string): boolean => /^https?:\/\//i.test(place);

/** Further pages must be on the same host. */
function nextPlace(place: string, next: string | null): string | null {
  if (next === null || !isUrl(place) || !URL.canParse(next, place)) return null;
  const url = new URL(next, place);
  return url.origin === new URL(place).origin ? url.href : null;
}

type Access = Pick<Reading, 'dispatcher' | 'signal'>;

async function readText(place: string, access: Access): Promise<string | Refusal> {
  try {
    return isUrl(place) ? await fetchText(place, access) : await readFileText(place);
  } catch (error) {
    return refuse('upstream', reasonOf(error));
  }
}

const tooLong = refuse('upstream', `it is longer than ${bytesMax} bytes`);

async function fetchText(url: string, { dispatcher, signal }: Access): Promise<string | Refusal> {
  const { statusCode, body } = await request(url, {
    dispatcher,
    headers: { accept: 'application/json' },
    signal,
  });
  if (statusCode !== 200) {
    // A truncated body emits an error, which would end the process without a listener.
    body.on('error', () => undefined).destroy();
    return refuse('upstream', `it responded with status ${statusCode}`);
  }
  return (await readBounded(body, bytesMax)) ?? tooLong;
}

async function readFileText(place: string): Promise<string | Refusal> {
  const path = place.startsWith('file://') ? fileURLToPath(place) : place;
  await using file = await open(path, 'r');
  const stat = await file.stat();
  if (!stat.isFile()) return refuse('upstream', 'it is not a file');
  return stat.size > bytesMax ? tooLong : file.readFile('utf8');
}

function reasonOf(error: unknown): string {
  if (error instanceof EgressRefused) return error.refusal.message;
  if (!(error instanceof Error)) return 'it could not be read';
  if (error.name === 'TimeoutError') return 'it did not respond in time';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `it could not be read (${code})`;
}
