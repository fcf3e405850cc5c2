// Asks the history what others did to the record of a refused change.

import { formatTime } from '../../lib/text/format.ts';
import { conflictOf, spanSince, streamOfPath } from '../../lib/saves/conflict.ts';
import type { Conflict } from '../../lib/saves/conflict.ts';
import { zone } from '../../state/preferences.ts';
import type { Prepared } from './call.ts';
import type { ApiFailure } from './failure.ts';
import { listCommands, listEvents } from '../history.ts';
import { diffSnapshots } from '../snapshots.ts';
import type { Difference } from '../snapshots.ts';

/** Searched back to the loaded version. */
const eventsMax = 100;
const differencesMax = 1_000;

export type Found = Conflict &
  Readonly<{
    /** In the history; null if unknown. */
    change: number | null;
    /** The version for saving on top; undefined if unknown. */
    version: number | undefined;
    /** The fields that others changed since the record was loaded; null if unknown. */
    difference: Difference | null;
  }>;

type Refused = Readonly<{
  prepared: Prepared | null;
  /** Set if the path does not name the stream. */
  stream: string | undefined;
}>;

/** Null if the failure explains itself. If the history fails to load, only names and differences are missing. */
export async function findConflict(
  failure: ApiFailure,
  { prepared, stream: named }: Refused,
): Promise<Found | null> {
  if (failure.status !== 412 && failure.status !== 404) return null;
  const stream = named ?? (prepared === null ? null : streamOfPath(prepared.path));
  const { command, events } = stream === null ? unknown : await newestOf(stream);
  const last =
    command === undefined
      ? null
      : {
          command: command.command,
          actor: command.actor_name ?? command.actor_kind,
          at: formatTime(new Date(command.at), zone.get()),
        };
  const conflict = conflictOf(failure, last);
  if (conflict === null) return null;
  const span = conflict.kind === 'changed' ? spanSince(events, prepared?.version) : null;
  return {
    ...conflict,
    change: command?.id ?? null,
    version: events[0]?.version,
    difference: span === null || stream === null ? null : await differenceOf(stream, span),
  };
}

const unknown = { command: undefined, events: [] } as const;

async function newestOf(stream: string) {
  try {
    const [commands, events] = await Promise.all([
      listCommands({ stream, limit: 1 }),
      listEvents({ stream, limit: eventsMax }),
    ]);
    return { command: commands.body[0], events: events.body };
  } catch {
    return unknown;
  }
}

async function differenceOf(
  stream: string,
  ends: Readonly<{ from: number; to: number }>,
): Promise<Difference | null> {
  const kind = stream.slice(0, stream.lastIndexOf('-'));
  try {
    const { body } = await diffSnapshots(ends, { kind, limit: differencesMax });
    return body.differences.find((one) => `${one.kind}-${one.id}` === stream) ?? null;
  } catch {
    return null;
  }
}
