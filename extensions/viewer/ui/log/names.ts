// What people and reasons are called. Neither is in a log, which refers to the vault instead; a pack of evidence may tell them.

import type { Command } from '../../../../ui/api/history.ts';
import { parseStream } from '../../../../events/catalogue.ts';
import type { StoredName } from '../../../../events/principal.ts';
import { nameIn } from '../../../../projections/change-words.ts';
import { linesOf, readLines } from './lines.ts';
import type { OpenLog } from './open-log.ts';

/** Of a command, as its row in the pack has it. */
export type ToldChange = Pick<Command, 'actor_name' | 'reason' | 'reason_erased'>;

/** Shown where an export refers to a text of the vault that came without it. */
export const notInExport = '(not in this export)';

export type Told = Readonly<{
  /** By the positions at which commands end; one of which nothing is told is not in it. */
  changes: (ends: readonly number[]) => Promise<ReadonlyMap<number, ToldChange>>;
}>;

export const nothingTold: Told = { changes: async () => new Map() };

/** The file of changes of a pack, looked through once for where each row lies. */
export async function toldBy(file: Blob): Promise<Told> {
  const places = new Map<number, Readonly<{ start: number; end: number }>>();
  for await (const lines of linesOf(file)) {
    for (const { text, start, end } of lines) places.set(JSON.parse(text).id, { start, end });
  }
  return {
    changes: async (ends) => {
      const known = ends.flatMap((end) => places.get(end) ?? []);
      const texts = await readLines(file, known);
      return new Map(
        texts.map((text) => {
          const { id, actor_name, reason, reason_erased } = JSON.parse(text);
          return [id, { actor_name, reason, reason_erased }] as const;
        }),
      );
    },
  };
}

/** Null acts for nobody. */
export const actorName = (log: OpenLog, id: number | null): string | null =>
  id === null ? null : principalName(log, id);

/** A service by its name, a person by its id. */
export function principalName({ states }: Pick<OpenLog, 'states'>, id: number): string {
  const principal = states?.last().principal.byId.get(id);
  return principal === undefined ? `principal ${id}` : nameOr(principal.name, `principal ${id}`);
}

/** The last known name, of a deleted record too. Null for a person. */
export function recordName({ states }: Pick<OpenLog, 'states'>, stream: string): string | null {
  if (states === null) return null;
  const { noun, id } = parseStream(stream);
  return nameIn(states.last()[noun].byId.get(id))?.text ?? states.deletedName(stream);
}

const nameOr = ({ text }: StoredName, otherwise: string): string => text ?? otherwise;
