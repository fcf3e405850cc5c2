// Loads the access review of a time, or its changes between two times.

import { apiBase } from '../../../ui/state/base.ts';
import { call } from '../../../ui/api/http/call.ts';
import type { AnswerOf } from '../../../ui/api/http/routes.ts';

export type Access = AnswerOf<'GET', '/admin/access'>[number];
export type AccessChange = AnswerOf<'GET', '/admin/access/diff'>[number];

/** The CSV file contains all rows. */
export const accessMax = 20_000;
const pageRows = 1_000;

type Page<Row> = Readonly<{ body: readonly Row[]; headers: Headers }>;

/** Each page starts after the last row of the page before it. */
async function everyRow<Row extends Pick<Access, 'principal_id' | 'model_id'>>(
  pageBehind: (after: string | undefined) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: string | undefined;
  do {
    const { body, headers } = await pageBehind(after);
    rows.push(...body);
    const last = headers.has('link') ? rows.at(-1) : undefined;
    after = last === undefined ? undefined : `${last.principal_id}.${last.model_id}`;
  } while (after !== undefined && rows.length < accessMax);
  return rows;
}

export const listAccess = (asOf: string | null, signal?: AbortSignal): Promise<readonly Access[]> =>
  everyRow((after) =>
    call('GET', '/admin/access', {
      query: { as_of: asOf ?? undefined, after, limit: pageRows },
      signal,
    }),
  );

export const diffAccess = (
  { from, to }: Readonly<{ from: string; to: string }>,
  signal?: AbortSignal,
): Promise<readonly AccessChange[]> =>
  everyRow((after) =>
    call('GET', '/admin/access/diff', { query: { from, to, after, limit: pageRows }, signal }),
  );

export function accessFile(asOf: string | null): string {
  const query = new URLSearchParams({ format: 'csv', ...(asOf === null ? {} : { as_of: asOf }) });
  return `${apiBase}admin/access?${query.toString()}`;
}
