// Calls of the history: commands and their events.

import { call } from './http/call.ts';
import type { AnswerOf, QueryOf } from './http/routes.ts';

export type Command = AnswerOf<'GET', '/admin/history/commands'>[number];
export type LogEvent = AnswerOf<'GET', '/admin/history/events'>[number];
export type WholeEvent = AnswerOf<'GET', '/admin/history/events/{position}'>;
export type Stream = AnswerOf<'GET', '/admin/history/streams'>[number];
export type CommandQuery = QueryOf<'GET', '/admin/history/commands'>;
export type EventQuery = QueryOf<'GET', '/admin/history/events'>;

export const listCommands = (query: CommandQuery, signal?: AbortSignal) =>
  call('GET', '/admin/history/commands', { query, signal });

/** Null if the log ends before the position. */
export async function getCommandAt(
  position: number,
  signal?: AbortSignal,
): Promise<Command | null> {
  const query = { order: 'asc', after: Math.max(0, position - 1), limit: 1 };
  const { body } = await listCommands(query, signal);
  return body[0] ?? null;
}

export const listEvents = (query: EventQuery, signal?: AbortSignal) =>
  call('GET', '/admin/history/events', { query, signal });

export const listStreams = (
  query: QueryOf<'GET', '/admin/history/streams'>,
  signal?: AbortSignal,
) => call('GET', '/admin/history/streams', { query, signal });

export const getEvent = (position: number, signal?: AbortSignal) =>
  call('GET', '/admin/history/events/{position}', { params: { position }, signal });

export const listEventsOf = (
  { first_position, event_count }: Pick<Command, 'first_position' | 'event_count'>,
  { limit, signal }: Readonly<{ limit: number; signal?: AbortSignal | undefined }>,
) =>
  listEvents(
    { order: 'asc', after: first_position - 1, limit: Math.min(limit, event_count) },
    signal,
  );
