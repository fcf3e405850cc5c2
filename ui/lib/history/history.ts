// Formats streams, commands, versions and differences of the log as text, and finds the screens that show them.

import { allNouns, configNouns, isNoun, nouns } from '../../../events/nouns.ts';
import type { FieldChange } from '../saves/change.ts';
import { capital } from '../text/format.ts';

type Target = Readonly<{ screen: string; rest: readonly string[] }>;

export const kindNames: readonly string[] = configNouns;

export const kindLabel = (kind: string): string =>
  isNoun(kind) ? capital(nouns[kind].words) : wordsOf(kind);

const screenOf = (kind: string) => (isNoun(kind) ? nouns[kind].screen : null);

/** `model-7` is model 7. Null if no screen shows the record. */
export function placeOfStream(stream: string): Target | null {
  const [, kind = '', id = ''] = /^(\w+)-(\d+)$/.exec(stream) ?? [];
  const screen = screenOf(kind);
  if (screen === null) return null;
  return { screen: screen.name, rest: screen.part === null ? [id] : [screen.part, id] };
}

/** Null if the address has no record. */
export function streamOfPlace(screen: string, rest: readonly string[]): string | null {
  const found = allNouns.find(
    (one) =>
      one.screen?.name === screen &&
      (one.screen.part === null ? /^\d+$/.test(rest[0] ?? '') : one.screen.part === rest[0]),
  );
  if (found === undefined) return null;
  const { noun, screen: place } = found;
  const id = place?.part === null ? rest[0] : rest[1];
  return id !== undefined && /^\d+$/.test(id) ? `${noun}-${id}` : null;
}

/** `frontend_model-7` is "frontend model 7". */
export function streamWords(stream: string): string {
  const [, kind = '', id = ''] = /^(\w+)-(\d+)$/.exec(stream) ?? [];
  return kind === '' ? stream : `${lowered(kindLabel(kind))} ${id}`;
}

type Subject = Readonly<{ stream: string; name: string | null }>;

/** The name of a record, or its kind and id. */
export const subjectWords = ({ stream, name }: Subject): string =>
  name ?? capital(streamWords(stream));

/** `UpdateModel` becomes "Update model". Works for events too. */
export function wordsOf(name: string): string {
  return capital(
    name
      .replaceAll('_', ' ')
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
      .split(' ')
      .map((word) => acronyms[word.toLowerCase()] ?? lowered(word))
      .join(' '),
  );
}

const acronyms: Readonly<Record<string, string>> = { api: 'API', mcp: 'MCP', a2a: 'A2A' };

/** Abbreviations keep their capitals. */
const lowered = (word: string): string =>
  /^[A-Z]{2}/.test(word) ? word : word.charAt(0).toLowerCase() + word.slice(1);

type Difference = Readonly<{
  change: 'created' | 'changed' | 'deleted';
  fields: readonly Readonly<{ field: string; before: unknown; after: unknown; secret: boolean }>[];
}>;

/** A secret shows only that it changed. */
export const changesOfDifference = ({ change, fields }: Difference): readonly FieldChange[] =>
  fields.map(({ field, before, after, secret }) => ({
    field: secret ? `${field} (secret)` : field,
    kind: isNone(before) ? 'added' : isNone(after) ? 'removed' : 'changed',
    before: change === 'created' ? undefined : before,
    after: change === 'deleted' ? undefined : after,
  }));

const isNone = (value: unknown): boolean => value === null || value === undefined;

const timePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?(Z)?)?$/;

/**
 * `1482`, `v1482`, `2026-11-21` or `2026-11-21 14:05` (UTC), in the form of the API. Null for
 * anything else.
 */
export function readMoment(text: string): string | null {
  const typed = text.trim();
  const [, version] = /^v?(0|[1-9]\d{0,14})$/i.exec(typed) ?? [];
  if (version !== undefined) return version;
  const [, day, minute = '00:00', second = ':00'] = timePattern.exec(typed) ?? [];
  const at = day === undefined ? typed : `${day}T${minute}${second}Z`;
  const isTime = day !== undefined || /^\d{4}-\d{2}-\d{2}T[\d:.]+[+-]\d{2}:\d{2}$/.test(typed);
  return isTime && !Number.isNaN(Date.parse(at)) ? at : null;
}

/** "version 1482", or the time. */
export const momentWords = (moment: string): string =>
  /^\d+$/.test(moment) ? `version ${moment}` : moment;

export const versionHelp =
  'A version is a position in the event log. The numbers in between belong to other events.';

type Versioned = Readonly<{ version_before: number; version_after: number }>;

/** `1481 → 1482`. Empty if the change did not affect proxies. */
export const versionsText = ({ version_before: before, version_after: after }: Versioned): string =>
  before === after ? '' : before === 0 ? String(after) : `${before} → ${after}`;

type Replica = Readonly<{ snapshot_version: number | null }>;

/** "2 of 3": how many replicas serve the version or a later one. Empty if no version was published or no replica reports. */
export function reachText(
  { version_before: before, version_after: after }: Versioned,
  replicas: readonly Replica[],
): string {
  if (before === after || replicas.length === 0) return '';
  const reached = replicas.filter((one) => (one.snapshot_version ?? 0) >= after).length;
  return `${reached} of ${replicas.length}`;
}

/** Each once. */
export const streamsOf = (events: readonly Readonly<{ stream: string }>[]): readonly string[] => [
  ...new Set(
    events
      .map(({ stream }) => stream)
      .filter((stream) => kindNames.some((kind) => stream.startsWith(`${kind}-`))),
  ),
];

export const written = (value: unknown): string => JSON.stringify(value, null, 2);
