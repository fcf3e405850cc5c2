// Describes each change in a list: a sentence, and the record's last known name.

import type { Queryable } from '@databases/pg';

import { nameIn, namingEvents, worded } from '../../../projections/change-words.ts';
import type { Listed, Subject } from '../../../projections/change-words.ts';
import { readLastEvents } from '../../db/log/event-history.ts';
import type { Vault } from '../../db/vault.ts';

type Dependencies = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

export type ChangeWords = Readonly<{
  /** For example "Set budget of search-service-18". */
  summary: string;
  subject: Subject;
}>;

export async function withWords<Row extends Listed>(
  dependencies: Dependencies,
  rows: readonly Row[],
): Promise<(Omit<Row, 'stream'> & ChangeWords)[]> {
  const streams = [...new Set(rows.map(({ stream }) => stream))];
  const names = await namesOf(dependencies, streams);
  return rows.map((row) => worded(row, names.get(row.stream) ?? null));
}

/** Streams without a name, or whose name was erased, are absent. */
async function namesOf(
  { db, vault }: Dependencies,
  streams: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (streams.length === 0) return new Map();
  const events = await readLastEvents(db, streams, namingEvents);
  const found = events.flatMap(({ stream, payload }) => {
    const name = payload === null ? null : nameIn(JSON.parse(payload));
    return name === null ? [] : [{ stream, ...name }];
  });
  const texts = await vault.reveal(
    db,
    found.flatMap(({ text, ref }) => (text === null && ref !== null ? [ref] : [])),
  );
  return new Map(
    found.flatMap(({ stream, text, ref }) => {
      const name = text ?? texts.get(ref ?? '');
      return name === undefined || name === '' ? [] : [[stream, name] as const];
    }),
  );
}
