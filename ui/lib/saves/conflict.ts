// Finds what others did to a record between loading and saving it.

import { nounOfPath } from '../../../events/nouns.ts';

/** `/admin/providers/7/…` is `provider-7`; null for other paths. */
export function streamOfPath(path: string): string | null {
  const [, noun = '', id] = /^\/admin\/([\w-]+)\/(\d+)(?:\/|$)/.exec(path) ?? [];
  const kind = nounOfPath(noun);
  return kind === null || id === undefined ? null : `${kind}-${id}`;
}

type Failure = Readonly<{ status: number; code: string }>;

type Last = Readonly<{ command: string; actor: string; at: string }>;

type Seen = Readonly<{ position: number; version: number }>;

/**
 * From the event of the loaded version to the last one. Events are newest first. Null if one is
 * unknown.
 */
export function spanSince(
  events: readonly Seen[],
  seen: number | undefined,
): Readonly<{ from: number; to: number }> | null {
  const [last] = events;
  const known = events.find(({ version }) => version === seen);
  if (last === undefined || known === undefined || known === last) return null;
  return { from: known.position, to: last.position };
}

export type Conflict = Readonly<{
  /** A deleted record accepts no change; a changed one does. */
  kind: 'deleted' | 'changed';
  message: string;
}>;

/** Null if the failure has another cause or nothing is known. `at` is a formatted time. */
export function conflictOf(failure: Failure, last: Last | null): Conflict | null {
  const by = last === null ? '' : ` by ${last.actor}, ${last.at}`;
  if (failure.status === 412) {
    const message = `This record was changed${by}. What you typed is kept.`;
    return { kind: 'changed', message };
  }
  // The record exists; something else does not.
  if (failure.status !== 404 || last === null || !isEnd(last.command)) return null;
  const message = `This record was deleted${by}. What you typed is kept until you close this, and can be copied.`;
  return { kind: 'deleted', message };
}

const isEnd = (command: string): boolean =>
  /^(Delete|Revoke|Erase|Sweep|Restore|Apply|Import)/.test(command);
