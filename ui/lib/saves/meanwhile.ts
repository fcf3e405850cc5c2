// What became of a record between when it was read and when a change of it was sent, for whoever made the change.

import { nounOfPath } from '../../../events/nouns.ts';

/** `/admin/providers/7/…` is of `provider-7`; null where the path does not say. */
export function streamOfPath(path: string): string | null {
  const [, noun = '', id] = /^\/admin\/([\w-]+)\/(\d+)(?:\/|$)/.exec(path) ?? [];
  const kind = nounOfPath(noun);
  return kind === null || id === undefined ? null : `${kind}-${id}`;
}

type Failure = Readonly<{ status: number; code: string }>;

/** The last that was done to the record. */
type Last = Readonly<{ command: string; actor: string; at: string }>;

type Seen = Readonly<{ position: number; version: number }>;

/**
 * From the event whose version was seen to the last one, of a record's events with the newest first;
 * null where one of them is not known.
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

export type Meanwhile = Readonly<{
  /** A record that is gone takes no change; on one that is changed, the change can be made all the same. */
  kind: 'deleted' | 'changed';
  message: string;
}>;

/** Null where the server's own words say it: another refusal, or nothing is known of the record. `at` is as a person reads it. */
export function meanwhileOf(failure: Failure, last: Last | null): Meanwhile | null {
  const by = last === null ? '' : ` by ${last.actor}, ${last.at}`;
  if (failure.status === 412) {
    const message = `It was changed meanwhile${by}. What you typed is kept.`;
    return { kind: 'changed', message };
  }
  // The record is there, and something else is not.
  if (failure.status !== 404 || last === null || !isEnd(last.command)) return null;
  const message = `It was deleted meanwhile${by}. What you typed is kept until you close this, and can be copied.`;
  return { kind: 'deleted', message };
}

const isEnd = (command: string): boolean =>
  /^(Delete|Revoke|Erase|Sweep|Restore|Apply|Import)/.test(command);
