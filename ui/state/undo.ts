// Undoes a recent change by restoring its records. If they changed since, or the restore is incomplete, the preview opens instead.

import { asFailure } from '../api/http/failure.ts';
import { listCommands, listEvents, listEventsOf } from '../api/history.ts';
import type { Command } from '../api/history.ts';
import { restoreSnapshot } from '../api/snapshots.ts';
import { streamsOf } from '../lib/history/history.ts';
import { undoReason } from '../lib/saves/undo.ts';
import { navigate } from './location.ts';
import { notify } from './toasts.ts';

/** Larger changes open the preview. */
const streamsMax = 20;

type Undone = Readonly<{ text: string; version: number | null; requestId: string | null }>;

/** Null if the preview was opened. */
export async function undo(requestId: string): Promise<Undone | null> {
  try {
    return await takeBack(requestId);
  } catch (error) {
    const { message } = asFailure(error);
    notify({ tone: 'bad', text: 'Could not undo the change', detail: message });
    return null;
  }
}

async function takeBack(requestId: string): Promise<Undone | null> {
  const { body: commands } = await listCommands({ request_id: requestId, limit: 1 });
  const [command] = commands;
  if (command === undefined) {
    navigate({ screen: 'history' });
    return null;
  }
  const before = command.first_position - 1;
  const { body: events } = await listEventsOf(command, { limit: streamsMax });
  const only = [...streamsOf(events)];
  if (only.length === 0) {
    navigate({ screen: 'history', rest: [command.id] });
    return null;
  }
  if (events.length < command.event_count || !(await areAsLeft(only, command))) {
    return look(before, only);
  }
  const { body: preview, etag } = await restoreSnapshot(before, { only, dry_run: true });
  const isWhole = preview.conflicts.length === 0 && preview.missing.length === 0;
  if (!isWhole || preview.event_count === 0) return look(before, only);
  const version = Number(etag?.replaceAll('"', ''));
  const { snapshotVersion, headers } = await restoreSnapshot(
    before,
    { only, reason: undoReason(command.id) },
    Number.isNaN(version) ? {} : { version },
  );
  const text = `Undone: ${command.summary}`;
  return { text, version: snapshotVersion, requestId: headers.get('x-request-id') };
}

/** True if the records are unchanged since the command. */
async function areAsLeft(streams: readonly string[], { id }: Command): Promise<boolean> {
  const newest = await Promise.all(streams.map((stream) => listEvents({ stream, limit: 1 })));
  return newest.every(({ body: [last] }) => last !== undefined && last.position <= id);
}

function look(before: number, only: readonly string[]): null {
  navigate({
    screen: 'history',
    rest: ['restore', before],
    query: { only: only.join(',') },
  });
  return null;
}
