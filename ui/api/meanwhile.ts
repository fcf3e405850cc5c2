// Asks the history what became of the record that a refused change was of.

import { formatTime } from '../lib/format.ts';
import { meanwhileOf, streamOfPath } from '../lib/meanwhile.ts';
import type { Meanwhile } from '../lib/meanwhile.ts';
import { zone } from '../state/preferences.ts';
import type { Prepared } from './call.ts';
import type { ApiFailure } from './failure.ts';
import { listCommands, listEvents } from './history.ts';

export type Found = Meanwhile &
  Readonly<{
    /** The change in the history; null where it is not known. */
    change: number | null;
    /** What a change on top of it names. */
    version: number | undefined;
  }>;

/** Null where the failure says all there is; a history that cannot be read costs no more than the name. */
export async function foundMeanwhile(
  failure: ApiFailure,
  prepared: Prepared | null,
): Promise<Found | null> {
  if (failure.status !== 412 && failure.status !== 404) return null;
  const stream = prepared === null ? null : streamOfPath(prepared.path);
  const [command, event] = stream === null ? [] : await newestOf(stream);
  const last =
    command === undefined
      ? null
      : {
          command: command.command,
          actor: command.actor_name ?? command.actor_kind,
          at: formatTime(new Date(command.at), zone.get()),
        };
  const meanwhile = meanwhileOf(failure, last);
  if (meanwhile === null) return null;
  return { ...meanwhile, change: command?.id ?? null, version: event?.version };
}

async function newestOf(stream: string) {
  try {
    const [commands, events] = await Promise.all([
      listCommands({ stream, limit: 1 }),
      listEvents({ stream, limit: 1 }),
    ]);
    return [commands.body[0], events.body[0]] as const;
  } catch {
    return [] as const;
  }
}
