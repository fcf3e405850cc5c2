// Reads a complete list of the API server, page by page (kubernetes.io/docs/reference/using-api/api-concepts, "Retrieving large results
// sets in chunks").

import { z } from 'zod';

import { refusalOf } from './answer.ts';
import type { ClusterClient } from './client.ts';

export type Listing<Item> = Readonly<{
  path: string;
  /** For example `status.phase=Running`. */
  fieldSelector?: string;
  /** Drops other fields. */
  item: z.ZodType<Item>;
}>;

const pageItems = 500;
const pagesMax = 400;
/** A list that takes longer than the API server keeps its state (5 to 15 minutes) starts again. */
const beginningsMax = 3;

/** Rejects if the list is incomplete. The message says which list and why. */
export async function listAll<Item>(
  client: ClusterClient,
  listing: Listing<Item>,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  for (let beginning = 1; beginning <= beginningsMax; beginning++) {
    const items = await listOnce(client, listing, signal);
    if (items !== 'expired') return items;
  }
  throw new Error(`${listing.path} expired ${beginningsMax} times while it was read`);
}

async function listOnce<Item>(
  client: ClusterClient,
  { path, fieldSelector, item }: Listing<Item>,
  signal: AbortSignal,
): Promise<readonly Item[] | 'expired'> {
  const page = z.object({
    metadata: z.object({ continue: z.string().optional() }),
    // The server may write an empty list as null.
    items: z.array(item).nullable(),
  });
  const items: Item[] = [];
  let next = '';
  for (let pages = 0; pages < pagesMax; pages++) {
    const query = new URLSearchParams({ limit: String(pageItems) });
    if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
    if (next !== '') query.set('continue', next);
    const answer = await client.get(`${path}?${query.toString()}`, signal);
    if (answer.status === 410) return 'expired';
    if (answer.status !== 200) throw new Error(`${path} answered ${refusalOf(answer)}`);
    const read = page.safeParse(answer.body);
    if (!read.success) throw new Error(`${path} did not answer with a list`, { cause: read.error });
    items.push(...(read.data.items ?? []));
    next = read.data.metadata.continue ?? '';
    if (next === '') return items;
  }
  throw new Error(`${path} has more than ${pagesMax * pageItems} items`);
}
