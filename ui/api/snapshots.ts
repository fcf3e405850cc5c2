// Calls of snapshot versions: list, compare and restore.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf, QueryOf } from './http/routes.ts';

export type SnapshotVersion = AnswerOf<'GET', '/admin/snapshots'>[number];
export type SnapshotDiff = AnswerOf<'GET', '/admin/snapshots/{from}/diff/{to}'>;
export type Difference = SnapshotDiff['differences'][number];
export type Restored = AnswerOf<'POST', '/admin/snapshots/{version}/restore'>;

type VersionQuery = QueryOf<'GET', '/admin/snapshots'>;

/** Newest first. */
export const listSnapshots = (limit: number, signal?: AbortSignal) =>
  listVersions({ limit }, signal);

export const listVersions = (query: VersionQuery, signal?: AbortSignal) =>
  call('GET', '/admin/snapshots', { query, signal });

type Moments = Readonly<{ from: string | number; to: string | number }>;

/** Each can be a version, a position or a time. */
export const diffSnapshots = (
  params: Moments,
  query: QueryOf<'GET', '/admin/snapshots/{from}/diff/{to}'>,
  signal?: AbortSignal,
) => call('GET', '/admin/snapshots/{from}/diff/{to}', { params, query, signal });

type RestoreBody = Exclude<BodyOf<'POST', '/admin/snapshots/{version}/restore'>, undefined>;

export const restoreSnapshot = (version: string | number, body: RestoreBody, change: Change = {}) =>
  call('POST', '/admin/snapshots/{version}/restore', { params: { version }, body, ...change });
