// Loads the summary of the shown requests, and of the group that they are compared with.

import { call } from '../../../ui/api/http/call.ts';
import type { AnswerOf } from '../../../ui/api/http/routes.ts';
import { bucketSecondsOf, edgesBefore, edgesOf, isoEdges } from '../../../ui/lib/page/range.ts';
import type { Range } from '../../../ui/lib/page/range.ts';
import { filterQueryOf } from './filters.ts';
import type { Query } from './filters.ts';

export type Summary = AnswerOf<'GET', '/admin/usage/summary'>;

export const shifts = [
  { value: '', label: 'Same time' },
  { value: 'before', label: 'Previous period' },
  { value: 'day', label: 'One day earlier' },
  { value: 'week', label: 'One week earlier' },
] as const;
type Shift = (typeof shifts)[number]['value'];

/** The group to compare with: its own filters, at the same or an earlier time. */
export type Compared = Readonly<{ filter: Query; shift: Shift }>;

/** Null without a comparison. */
export function readCompared(text: string | undefined): Compared | null {
  if (text === undefined) return null;
  const { shift = '', ...query } = Object.fromEntries(new URLSearchParams(text));
  return {
    filter: filterQueryOf(query),
    shift: shifts.find(({ value }) => value === shift)?.value ?? '',
  };
}

/** Never empty, because an empty parameter is left out of the address. */
export const writeCompared = ({ filter, shift }: Compared): string =>
  new URLSearchParams({ ...filter, shift }).toString();

type Edges = Readonly<{ since: number; until: number }>;

const dayMs = 86_400_000;

export function shifted(edges: Edges, shift: Shift): Edges {
  if (shift === '') return edges;
  if (shift === 'before') return edgesBefore(edges);
  const ms = shift === 'day' ? dayMs : 7 * dayMs;
  return { since: edges.since - ms, until: edges.until - ms };
}

type Asked = Readonly<{ range: Range; filter: Query; compared: Compared | null }>;

export type Loaded = Awaited<ReturnType<typeof loadSummaries>>;

export async function loadSummaries({ range, filter, compared }: Asked, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const bucket = bucketSecondsOf(edges);
  const load = async (group: Query, at: Edges): Promise<Summary> => {
    const query = { ...group, ...isoEdges(at), bucket };
    return (await call('GET', '/admin/usage/summary', { query, signal })).body;
  };
  const [own, other] = await Promise.all([
    load(filter, edges),
    compared === null ? null : load(compared.filter, shifted(edges, compared.shift)),
  ]);
  return { own, other, edges };
}
