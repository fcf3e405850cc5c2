// Answers what the screens of the history ask, out of an open export, as the control plane would of its database: the same addresses,
// the same shapes. What is not in a log is refused in words.

import type { AccessKey } from '../../../projections/access.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { emptyState } from '../../../projections/config/state.ts';
import { diffPage } from '../../../projections/diff.ts';
import type { Difference } from '../../../projections/diff.ts';
import type { FieldValue } from '../../../projections/entity-fields.ts';
import { configNouns } from '../../../events/nouns.ts';
import { reviewAccess, reviewChanges } from './access.ts';
import { getEvent, listCommands, listEvents, listStreams, listVersions } from './history.ts';
import type { Asked } from './history.ts';
import { Refused, positionOf } from './moment.ts';
import { notInExport, principalName } from './names.ts';
import type { Told } from './names.ts';
import type { OpenLog } from './open-log.ts';

export type Answer = Readonly<{
  status: number;
  body: unknown;
  headers: Readonly<Record<string, string>>;
}>;

export type Opened = Readonly<{ log: OpenLog; told: Told }>;

type Handled = Readonly<{ body: unknown; headers?: Readonly<Record<string, string>> }>;
type Handler = (opened: Opened, segments: readonly string[], asked: Asked) => Promise<Handled>;

/** By the path below `/admin/`; a star is any one segment. */
const handlers: Readonly<Record<string, Handler>> = {
  fleet: async () => ({ body: [] }),
  principals: async ({ log }) => ({ body: peopleOf(log) }),
  'log/head': async ({ log }) => ({ body: headOf(log) }),
  'history/commands': async ({ log, told }, _segments, asked) => ({
    body: await listCommands(log, told, asked),
  }),
  'history/events': async ({ log }, _segments, asked) => ({ body: await listEvents(log, asked) }),
  'history/streams': async ({ log }, _segments, asked) => ({ body: listStreams(log, asked) }),
  'history/events/*': async ({ log }, [position]) => ({
    body: await getEvent(log, Number(position)),
  }),
  snapshots: async ({ log, told }, _segments, asked) => ({
    body: await listVersions(log, told, asked),
  }),
  'snapshots/*/diff/*': async ({ log }, [from = '', to = ''], asked) => ({
    body: await diffOf(log, { from, to }, asked),
  }),
  access: ({ log }, _segments, asked) => accessOf(log, asked),
  'access/diff': ({ log }, _segments, asked) => accessDiffOf(log, asked),
};

/** `address` is a path with a query, from `/admin/` on. */
export async function answer(opened: Opened, address: string): Promise<Answer> {
  const url = new URL(address, 'file:///');
  const segments = url.pathname.split('/').slice(2).map(decodeURIComponent);
  try {
    const found = Object.entries(handlers).find(([path]) => fits(path, segments));
    if (found === undefined) throw new Refused(404, 'an export of the log does not hold this');
    const [path, handler] = found;
    const named = segments.filter((_, at) => path.split('/')[at] === '*');
    const { body, headers = {} } = await handler(
      opened,
      named,
      Object.fromEntries(url.searchParams),
    );
    return { status: 200, body, headers };
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    return { status, body: { error: { message, code: codes[status] } }, headers: {} };
  }
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid',
  404: 'not_found',
  409: 'conflict',
  500: 'fault',
};

function fits(path: string, segments: readonly string[]): boolean {
  const parts = path.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, at) => part === '*' || part === segments[at])
  );
}

/** Who acted, and every person that there is. */
function peopleOf(log: OpenLog): readonly object[] {
  const users = [...(log.states?.last().principal.byId.values() ?? [])].filter(
    ({ kind }) => kind === 'user',
  );
  const ids = new Set<number>([...log.index.actors, ...users.map(({ id }) => id)]);
  return [...ids]
    .toSorted((a, b) => a - b)
    .map((id) => ({ id, kind: 'user', name: principalName(log, id) }));
}

function headOf({ index, verified }: OpenLog): object {
  const position = index.last();
  return {
    log_id: verified?.logId ?? '',
    position,
    hash: verified?.hash ?? '',
    recorded_at: new Date(index.recordedAt(position)).toISOString(),
    snapshot_version: index.version(position),
    read_models: null,
    verified: { chain: null, read_models: null },
    alarms: [],
  };
}

async function stateAt(log: OpenLog, moment: string, named: string): Promise<ConfigState> {
  const { states, index, unread } = log;
  const position = positionOf(log, moment, named);
  if (states === null) {
    throw new Refused(
      409,
      `the export begins at position ${index.from}: what was configured before it is not in it`,
    );
  }
  if (unread !== null && position >= unread.position) {
    throw new Refused(
      409,
      `from position ${unread.position} on this viewer cannot tell the configuration: ${unread.problem}`,
    );
  }
  return position === 0 ? emptyState : states.at(position);
}

async function diffOf(
  log: OpenLog,
  moments: Readonly<{ from: string; to: string }>,
  asked: Asked,
): Promise<object> {
  const from = await stateAt(log, moments.from, 'from');
  const to = await stateAt(log, moments.to, 'to');
  const kind = configNouns.find((noun) => noun === asked['kind']);
  const offset = Number(asked['offset'] ?? 0);
  const limit = Number(asked['limit'] ?? 1_000);
  const { total, differences } = diffPage(from, to, { kind, offset, limit });
  return { from: placeOf(from), to: placeOf(to), total, differences: differences.map(toShown) };
}

const placeOf = ({ position, version }: ConfigState) => ({ position, version });

/** As the control plane shows it, without the texts that only the vault has. */
const toShown = ({ name, fields, ...change }: Difference) => ({
  ...change,
  name: name === null ? null : shownName(name),
  fields: fields.map(({ field, before, after }) => {
    const secret = [before, after].some((value) => value !== null && 'secret' in value);
    return secret
      ? { field, before: before && 'set', after: after && (before ? 'changed' : 'set'), secret }
      : { field, before: shown(before), after: shown(after), secret };
  }),
});

const shown = (value: FieldValue | null): unknown => {
  if (value === null) return null;
  if ('value' in value) return value.value;
  return 'personal' in value ? notInExport : null;
};

/** Of a person it is null: the ref is among the fields. */
const shownName = (name: FieldValue): string | null =>
  'value' in name && typeof name.value === 'string' ? name.value : null;

const pageOf = ({ after, limit }: Asked) => ({
  after: after === undefined ? null : keyOf(after),
  limit: Number(limit ?? 1_000),
});

function keyOf(text: string): AccessKey {
  const [principalId = 0, modelId = 0] = text.split('.').map(Number);
  return { principalId, modelId };
}

async function reviewedAt(log: OpenLog, moment: string | undefined, named: string) {
  const state = await stateAt(log, moment ?? String(log.index.last()), named);
  const isTime = moment !== undefined && !/^\d+$/.test(moment);
  return { state, atMs: isTime ? Date.parse(moment) : log.index.recordedAt(state.position) };
}

async function accessOf(log: OpenLog, asked: Asked): Promise<Handled> {
  const reviewed = await reviewedAt(log, asked['as_of'], 'as_of');
  const page = pageOf(asked);
  return paged(reviewAccess(log, reviewed, page), page.limit);
}

async function accessDiffOf(log: OpenLog, asked: Asked): Promise<Handled> {
  const before = await reviewedAt(log, asked['from'], 'from');
  const behind = await reviewedAt(log, asked['to'], 'to');
  const page = pageOf(asked);
  return paged(reviewChanges(log, { before, behind }, page), page.limit);
}

/** That there are more is said by a link, whose address nobody follows. */
const paged = (rows: readonly object[], limit: number): Handled => ({
  body: rows.slice(0, limit),
  headers: rows.length > limit ? { link: '<>; rel="next"' } : {},
});
