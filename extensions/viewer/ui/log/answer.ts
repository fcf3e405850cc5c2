// Answers requests of the History screens from an open export, with the paths and shapes of the
// control plane. Refuses data that no log contains.

import { accessChanges, accessOf } from '../../../../projections/access.ts';
import type { AccessKey } from '../../../../projections/access.ts';
import type { ConfigState } from '../../../../projections/config/state.ts';
import { emptyState } from '../../../../projections/config/state.ts';
import { diffPage } from '../../../../projections/diff.ts';
import type { Difference } from '../../../../projections/diff.ts';
import { accessPage } from '../../../../projections/access-page.ts';
import type { AccessRow } from '../../../../projections/access-review.ts';
import { shownDifference } from '../../../../projections/shown-difference.ts';
import { configNouns } from '../../../../events/nouns.ts';
import { mapped } from '../../../../src/lib/mapped.ts';
import { reviewer } from './access.ts';
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

/** By the path after `/admin/`; a star matches one segment. */
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
  access: ({ log }, _segments, asked) => listAccess(log, asked),
  'access/diff': ({ log }, _segments, asked) => diffAccess(log, asked),
};

/** `address` is a path with a query, from `/admin/`. */
export async function answer(opened: Opened, address: string): Promise<Answer> {
  const url = new URL(address, 'file:///');
  const segments = url.pathname.split('/').slice(2).map(decodeURIComponent);
  try {
    const found = Object.entries(handlers).find(([path]) => fits(path, segments));
    if (found === undefined) throw new Refused(404, 'an export of the log does not contain this');
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

function peopleOf(log: OpenLog): readonly object[] {
  const users = [...(log.states?.last().principal.byId.values() ?? [])].filter(
    ({ kind }) => kind === 'user',
  );
  const ids = new Set<number>(users.map(({ id }) => id));
  for (const { actorId } of log.index.entries) if (actorId !== null) ids.add(actorId);
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
    recorded_at: new Date(index.at(position)?.at ?? 0).toISOString(),
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
      `the export begins at position ${index.from}, so earlier configuration is missing`,
    );
  }
  if (unread !== null && position >= unread.position) {
    throw new Refused(
      409,
      `from position ${unread.position} on, this viewer cannot compute the configuration: ${unread.problem}`,
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

/** The log has no names of people; their refs are among the fields. */
const toShown = (one: Difference) =>
  shownDifference(
    one,
    () => notInExport,
    () => null,
  );

const placeOf = ({ position, version }: ConfigState) => ({ position, version });

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
  return { state, atMs: isTime ? Date.parse(moment) : (log.index.at(state.position)?.at ?? 0) };
}

async function listAccess(log: OpenLog, asked: Asked): Promise<Handled> {
  const reviewed = await reviewedAt(log, asked['as_of'], 'as_of');
  const { after, limit } = pageOf(asked);
  return paged(mapped(accessOf(reviewed.state, after), reviewer(log, reviewed)), limit);
}

async function diffAccess(log: OpenLog, asked: Asked): Promise<Handled> {
  const before = await reviewedAt(log, asked['from'], 'from');
  const behind = await reviewedAt(log, asked['to'], 'to');
  const review = { lost: reviewer(log, before), gained: reviewer(log, behind) };
  const { after, limit } = pageOf(asked);
  const changes = accessChanges(before.state, behind.state, after);
  const rows = mapped(changes, ({ change, access }) =>
    Object.assign({ change }, review[change](access)),
  );
  return paged(rows, limit);
}

/** A link header says that there is more; the screens do not follow its address. */
function paged(found: Iterable<AccessRow>, limit: number): Handled {
  const { rows, hasMore } = accessPage(found, limit);
  return { body: rows, headers: hasMore ? { link: '<>; rel="next"' } : {} };
}
