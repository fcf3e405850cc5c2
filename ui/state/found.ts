// Loads the records that the command palette finds.

import { nouns, rankedNouns } from '../../events/nouns.ts';
import { list } from '../api/http/call.ts';
import { capital } from '../lib/text/format.ts';

export type Found = Readonly<{
  kind: string;
  name: string;
  screen: string;
  /** The place on its screen. */
  rest: readonly string[];
  /** For example the prefix of a key. */
  also: string;
}>;

/** Skips lists that fail to load. */
export async function findEntities(signal: AbortSignal): Promise<readonly Found[]> {
  const lists = await Promise.allSettled(
    rankedNouns.map(async (noun) => {
      const { words, paths, screen } = nouns[noun];
      return (await list(`/admin/${paths[0]}`, { signal })).map((record) => ({
        kind: capital(words),
        screen: screen.name,
        name: record.name,
        rest: [...(screen.part === null ? [] : [screen.part]), String(record.id)],
        also: alsoOf(record),
      }));
    }),
  );
  return lists.flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
}

function alsoOf(record: object): string {
  const found: unknown = ['api_base', 'email', 'prefix']
    .map((field): unknown => Reflect.get(record, field))
    .find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
