// Reads the log in pages of whole commands and computes their table rows. While a page is computed,
// the previous one is written and the next one is read.

import { setImmediate as turn } from 'node:timers/promises';

import type { Queryable } from '@databases/pg';

import { readEvents } from '../src/db/log/event-log.ts';
import { openPage, splitCommands } from './rows.ts';
import type { CommandEvents, Cursor, PageTables, TableWrite } from './rows.ts';

/** `to` is the end of a command. */
export type Pages = Readonly<{ to: number; pageEvents: number }>;

type Writing = Readonly<{
  pages: Pages;
  tables: PageTables;
  /** Returns false if the page must not be written. */
  write: (page: Page) => Promise<boolean>;
}>;

/** The table rows that result from the commands after `from`, up to `after`. */
export type Page = Readonly<{ from: Cursor; after: Cursor; writes: readonly TableWrite[] }>;

/**
 * Pauses after this number of commands, some 10 ms of CPU time, so that reading and writing
 * proceed.
 */
const sliceCommands = 200;

/**
 * Passes the pages after `from` to `write`, one at a time. Ends at `to`, or when `write` returns
 * false. Returns the cursor after the last page written. `source` is read while `write` runs.
 */
export async function writePages(
  source: Queryable,
  from: Cursor,
  { pages, tables, write }: Writing,
): Promise<Cursor> {
  let written = from;
  let last: Promise<Page | null> | null = null;
  const settle = async (): Promise<boolean> => {
    if (last === null) return true;
    const page = await last;
    written = page?.after ?? written;
    return page !== null;
  };
  let cursor = from;
  let next = quietly(readPage(source, from.state.position, pages));
  for (;;) {
    const { commands, end } = await next;
    const isLast = end >= pages.to;
    if (!isLast) next = quietly(readPage(source, end, pages));
    const page = await computePage(cursor, commands, tables);
    if (!(await settle())) return written;
    last = quietly(write(page).then((isWritten) => (isWritten ? page : null)));
    cursor = page.after;
    if (!isLast) continue;
    await settle();
    return written;
  }
}

/**
 * Prevents an unhandled rejection if an earlier failure ends the loop before this promise is
 * awaited.
 */
function quietly<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

async function computePage(
  from: Cursor,
  commands: readonly CommandEvents[],
  tables: PageTables,
): Promise<Page> {
  const page = openPage(from, tables);
  for (let start = 0; start < commands.length; start += sliceCommands) {
    page.take(commands.slice(start, start + sliceCommands));
    await turn();
  }
  return { from, ...page.close() };
}

/** A command longer than a page is a page of its own. */
export async function readPage(
  source: Queryable,
  after: number,
  { to, pageEvents }: Pages,
): Promise<Readonly<{ commands: readonly CommandEvents[]; end: number }>> {
  const limit = Math.min(pageEvents, to - after);
  let { commands, rest } = splitCommands(await readEvents(source, { after, limit }));
  const [long] = rest;
  if (commands.length === 0 && long !== undefined) {
    ({ commands, rest } = splitCommands(
      await readEvents(source, { after, limit: long.metadata.count }),
    ));
  }
  const end = commands.at(-1)?.at(-1)?.position;
  if (end === undefined) throw new Error(`no whole command follows position ${after}`);
  return { commands, end };
}
