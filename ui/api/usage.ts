// What was asked, answered and spent.

import { call } from './http/call.ts';
import type { AnswerOf, QueryOf } from './http/routes.ts';

export type UsageTotal = AnswerOf<'GET', '/admin/usage'>[number];
export type UsageEvent = AnswerOf<'GET', '/admin/usage/events'>[number];
export type SeriesPoint = AnswerOf<'GET', '/admin/timeseries'>[number];

export const getUsage = (query: QueryOf<'GET', '/admin/usage'>, signal?: AbortSignal) =>
  call('GET', '/admin/usage', { query, signal });

export const listUsageEvents = (
  query: QueryOf<'GET', '/admin/usage/events'>,
  signal?: AbortSignal,
) => call('GET', '/admin/usage/events', { query, signal });

export const getTimeseries = (query: QueryOf<'GET', '/admin/timeseries'>, signal?: AbortSignal) =>
  call('GET', '/admin/timeseries', { query, signal });

/** Milliseconds of a bucket of a series: as wide as was asked for, or wider. */
export const widthOf = (headers: Headers, askedSeconds: number): number =>
  1_000 * Number(headers.get('x-gw-bucket-seconds') ?? askedSeconds);

/** The groups that there are, of which an answer holds the first ones. */
export const groupsOf = (headers: Headers, answered: number): number =>
  Number(headers.get('x-total-count') ?? answered);

export type Explanation = AnswerOf<'GET', '/admin/usage/{id}/explain'>;

/** Refused with 404 when the row is past its retention, and with 409 when its version is not of this log. */
export const explainUsage = (id: string, signal?: AbortSignal) =>
  call('GET', '/admin/usage/{id}/explain', { params: { id }, signal });
