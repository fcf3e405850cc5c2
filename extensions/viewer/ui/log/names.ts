// Finds names of people and reasons. A log only refers to the vault; an evidence pack can contain them.

import type { Command } from '../../../../ui/api/history.ts';
import { parseStream } from '../../../../events/catalogue.ts';
import type { StoredName } from '../../../../events/principal.ts';
import { nameIn } from '../../../../projections/change-words.ts';
import { linesOf, readLines } from './lines.ts';
import type { OpenLog } from './open-log.ts';

/** The row of a command in the pack. */
export type ToldChange = Pick<Command, 'actor_name' | 'reason' | 'reason_erased'>;

/** Shown for a vault text that the export does not contain. */
export const notInExport = '(not in this export)';

export type Told = Readonly<{
  /** By the last position of commands. Omits unknown commands. */
  changes: (ends: readonly number[]) => Promise<ReadonlyMap<number, ToldChange>>;
}>;

export const nothingTold: Told = { changes: async () => new Map() };

/** Indexes the rows of the pack's changes file. */
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

/** Null means no actor. */
export const actorName = (log: OpenLog, id: number | null): string | null =>
  id === null ? null : principalName(log, id);

/** Services by name, people by id. */
export function principalName({ states }: Pick<OpenLog, 'states'>, id: number): string {
  const principal = states?.last().principal.byId.get(id);
  return principal === undefined ? `principal ${id}` : nameOr(principal.name, `principal ${id}`);
}

/** Also for deleted records. Null for people. */
export function recordName({ states }: Pick<OpenLog, 'states'>, stream: string): string | null {
  if (states === null) return null;
  const { noun, id } = parseStream(stream);
  return nameIn(states.last()[noun].byId.get(id))?.text ?? states.deletedName(stream);
}

const nameOr = ({ text }: StoredName, otherwise: string): string => text ?? otherwise;
