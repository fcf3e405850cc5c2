// Calls of the log: its end, its checkpoints and its raw export.

import { apiBase, uiBase } from '../state/base.ts';
import { call, open } from './http/call.ts';
import type { AnswerOf } from './http/routes.ts';

export type LogHead = AnswerOf<'GET', '/admin/log/head'>;
export type Checkpoints = AnswerOf<'GET', '/admin/log/checkpoints'>;

export const getLogHead = (signal?: AbortSignal) => call('GET', '/admin/log/head', { signal });

/** Oldest first. */
export const listCheckpoints = (
  { after, limit }: Readonly<{ after: number; limit: number }>,
  signal?: AbortSignal,
) => call('GET', '/admin/log/checkpoints', { query: { after, limit }, signal });

/** Yields lines as they arrive, because the export can be long. */
export async function* exportedLines(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const response = await open('GET', '/admin/log/export', { signal });
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

export const viewerAddress = (): string => `${uiBase}viewer.html`;

export const exportAddress = (): string => `${apiBase}admin/log/export`;
