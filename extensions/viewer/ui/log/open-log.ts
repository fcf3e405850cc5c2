// Opens an export of the log in one pass: verifies each line, indexes events and folds the
// configuration. Stops at the first invalid line, so that nothing unverified is shown.

import { touchesSnapshot } from '../../../../events/catalogue.ts';
import { epochOfVersion, snapshotVersion } from '../../../../src/lib/snapshot-version.ts';
import { linesOf, readLines } from './lines.ts';
import type { Line } from './lines.ts';
import { createLogIndex } from './log-index.ts';
import type { Entry, LogIndex } from './log-index.ts';
import { createStates } from './states.ts';
import type { States } from './states.ts';
import { createExportCheck } from '../../../../events/export-check.ts';
import type {
  EventLine,
  Finding,
  Taken,
  Trust,
  Verified,
} from '../../../../events/export-check.ts';
import { browserMeans } from '../../../../ui/lib/history/ed25519.ts';

export type OpenLog = Readonly<{
  index: LogIndex;
  /** Null if the export starts within its log, so that earlier configuration is missing. */
  states: States | null;
  /** Ends before the first invalid line; null if that is the first line. */
  verified: Verified | null;
  finding: Finding | null;
  /** The invalid line, or its beginning. */
  brokenLine: string | null;
  /** From this position nothing is folded, because the log is newer than this page. */
  unread: Finding | null;
  checkpoints: readonly Signed[];
  keys: readonly AuditKey[];
  /** Ascending positions of grants of roles and invocation permissions, by stream and grant. */
  grants: ReadonlyMap<string, readonly number[]>;
  events: (entries: readonly Entry[]) => Promise<readonly EventLine[]>;
}>;

export type Signed = Readonly<{ position: number; note: string }>;
export type AuditKey = Readonly<{ since: number; publicKey: string }>;

type Options = Readonly<{
  trust: Trust;
  /** The log is part of an evidence pack. */
  isPack: boolean;
  /** For an export that starts within its log; 0 if unknown. */
  versionBefore?: number;
  onProgress: (progress: Readonly<{ readBytes: number; position: number }>) => void;
}>;

const brokenChars = 4_000;

export async function openLog(
  file: Blob,
  { trust, isPack, versionBefore = 0, onProgress }: Options,
): Promise<OpenLog> {
  const check = createExportCheck({ ...trust, isPack }, browserMeans);
  const reading = createReading(file, versionBefore);
  let finding: Finding | null = null;
  let brokenLine: string | null = null;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      const taken = await check.take(line.text);
      if (taken.kind === 'finding') {
        finding = taken;
        brokenLine = line.text.slice(0, brokenChars);
        break;
      }
      reading.take(line, taken, check.state());
    }
    onProgress({ readBytes: lines.at(-1)?.end ?? 0, position: check.state()?.position ?? 0 });
    if (finding !== null) break;
  }
  finding ??= check.end();
  return { ...reading.done(), verified: check.state(), finding, brokenLine };
}

function createReading(file: Blob, versionBefore: number) {
  let index = createLogIndex(1, 0);
  let states: States | null = null;
  let unread: Finding | null = null;
  let version = versionBefore;
  const checkpoints: Signed[] = [];
  const keys: AuditKey[] = [];
  const grants = new Map<string, number[]>();
  const events = async (entries: readonly Entry[]): Promise<readonly EventLine[]> =>
    (await readLines(file, entries)).map((text): EventLine => JSON.parse(text));
  const between = (from: number, to: number) =>
    events(index.entries.slice(from - index.from, to - index.from + 1));

  const foldOn = (event: EventLine): void => {
    if (unread !== null || states === null) {
      version = versionBehind(event, version);
      return;
    }
    try {
      states.add(event);
      version = states.version();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      unread = { position: event.position, problem };
    }
  };

  const takeEvent = (line: Line, event: EventLine): void => {
    foldOn(event);
    const { position, stream, type, recorded_at: at } = event;
    const { actor, command, index: place, count } = JSON.parse(event.metadata);
    const first = position - place;
    const { kind: actorKind, principal_id: actorId } = actor;
    const about = { position, stream, type, command, actorKind, actorId, at, version };
    index.add({ ...about, first, last: first + count - 1, start: line.start, end: line.end });
    const grant = grantOf(event);
    if (grant === null) return;
    const held = grants.get(grant);
    if (held === undefined) grants.set(grant, [event.position]);
    else held.push(event.position);
  };

  return {
    take: (line: Line, taken: Taken, log: Verified | null): void => {
      if (log === null) return;
      if (taken.kind === 'event') {
        takeEvent(line, taken.event);
        if (taken.event.type === 'AuditKeySet' && log.key !== null) {
          keys.push({ since: log.position, publicKey: log.key });
        }
      } else if (taken.kind === 'checkpoint') {
        checkpoints.push({ position: log.position, note: taken.note });
      } else if (taken.kind === 'head') {
        index = createLogIndex(log.from, versionBefore);
        states = log.from === 1 ? createStates(between) : null;
        if (log.key !== null) keys.push({ since: log.from, publicKey: log.key });
      }
    },
    done: () => ({ index, states, unread, checkpoints, keys, grants, events }),
  };
}

/** Computes the version from event types and epochs, because no state is built here. */
function versionBehind({ type, payload, position }: EventLine, before: number): number {
  const epoch =
    type === 'LogEpochStarted' ? Number(JSON.parse(payload ?? '{}').epoch) : epochOfVersion(before);
  return isTouching(type) ? snapshotVersion({ epoch, position }) : before;
}

/** Only types that this page knows. */
export function isTouching(type: string): boolean {
  try {
    return touchesSnapshot(type);
  } catch {
    // Newer than this page.
    return false;
  }
}

/** The name in the access review; null if the event is not a grant. */
function grantOf({ type, stream, payload }: EventLine): string | null {
  if (type !== 'PrincipalRoleGranted' && type !== 'RolePermissionGranted') return null;
  const { role_id: role, verb, resource } = JSON.parse(payload ?? '{}');
  if (type === 'PrincipalRoleGranted') return `${stream} ${role}`;
  return verb === 'model:invoke' ? `${stream} ${resource}` : null;
}
