// Reads the headers of usage responses, and finds requests page by page.

import { call, nextCursor } from './http/call.ts';
import type { QueryOf } from './http/routes.ts';
import type { UsageEvent } from './records.ts';

/** The width of a bucket in milliseconds, at least as requested. */
export const widthOf = (headers: Headers, askedSeconds: number): number =>
  1_000 * Number(headers.get('x-gw-bucket-seconds') ?? askedSeconds);

/** The total number of groups; the response contains the first ones. */
export const groupsOf = (headers: Headers, answered: number): number =>
  Number(headers.get('x-total-count') ?? answered);

/** A filter can match few of many requests, so pages can be short. */
const pagesStandard = 5;

type Found = Readonly<{
  rows: readonly UsageEvent[];
  /** Null if there are too many requests to count. */
  total: number | null;
  /** True if no older request matches. */
  isAll: boolean;
  /** Older requests were not searched. Null if the rows are as many as wanted. */
  searchedSince: string | null;
}>;

type Wanted = Readonly<{ rows: number; pages?: number; signal: AbortSignal }>;

/** The newest requests. Searches this many pages. */
export async function findRequests(
  query: QueryOf<'GET', '/admin/usage/events'>,
  { rows: wanted, pages = pagesStandard, signal }: Wanted,
): Promise<Found> {
  const rows: UsageEvent[] = [];
  let total: number | null = null;
  let after: string | undefined;
  let searchedSince: string | null = null;
  for (let page = 0; page < pages; page++) {
    const asked = { ...query, limit: wanted - rows.length, after };
    const { body, headers } = await call('GET', '/admin/usage/events', { query: asked, signal });
    rows.push(...body);
    const count = headers.get('x-total-count');
    total = count === null ? null : Number(count);
    after = nextCursor(headers);
    searchedSince = headers.get('x-gw-searched-since');
    if (after === undefined || rows.length >= wanted) break;
  }
  return { rows, total, isAll: after === undefined, searchedSince };
}
