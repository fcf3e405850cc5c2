// Shows one change request: its calls without secrets, the events they produce now, the approvals
// that cover them, and its history.

import { z } from 'zod';

import { streamOf } from '../../events/catalogue.ts';
import type { ChangeRequest } from '../../projections/config/change-request.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { readBody } from '../../src/control/change-requests/body.ts';
import type { ReadBody } from '../../src/control/change-requests/body.ts';
import { withWords } from '../../src/control/history/change-words.ts';
import { historyCommands } from '../../src/control/history/commands.ts';
import { shownChange } from '../../src/control/history/shown-change.ts';
import { coveringApprovals, outcomeText } from '../../src/deciders/changes/change-apply.ts';
import { decideCalls } from '../../src/deciders/changes/changes.ts';
import { decide } from '../../src/deciders/decide.ts';
import { principalId } from '../../src/lib/ids.ts';
import type { ChangeRequestId } from '../../src/lib/ids.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { shownCall, shownCallOf } from './calls.ts';
import { changeRequestFields, recordOf } from './record.ts';
import { changeFields } from '../../src/admin/changes/change-sets.ts';
import type { Configuration } from '../../src/control/commands/configuration.ts';
import type { HistoryNeeds } from '../../src/admin/history/needs.ts';
import { commandRecord } from '../../src/admin/history/history.ts';
import type { Handled } from '../../src/admin/http/route.ts';
import { sources } from '../../src/admin/history/snapshots.ts';

const { calls: _counted, ...change } = changeFields;

export const wholeRequest = z.object({
  ...changeRequestFields,
  /** Null once it has ended, because the calls are then erased. */
  bodies: z.array(shownCall).readonly().nullable(),
  /** Null if the calls cannot be made or the request has ended. */
  change: z.object(change).nullable(),
  /** Identifies the change to approve, together with the digest. */
  outcome: z.string().nullable(),
  /** The reason for which the calls cannot be made now. */
  refusal: z.object({ message: z.string(), param: z.string().nullable() }).nullable(),
  /** Those whose approval covers the calls and their current events. */
  covered_by: z.array(principalId).readonly(),
  /** Oldest first, at most 200. */
  history: z.array(commandRecord).readonly(),
});
type WholeRequest = z.input<typeof wholeRequest>;

const historyMax = 200;

export async function shownRequest(
  needs: HistoryNeeds,
  config: Configuration,
  id: ChangeRequestId,
): Promise<Handled<WholeRequest>> {
  await config.refresh();
  const state = config.state();
  const request = state.change_request.byId.get(id);
  if (request === undefined) return refuse('absent', `change request ${id} does not exist`);
  const record = await recordOf({ db: needs.db, vault: needs.vault, state }, id);
  const commands = await historyCommands(sources(needs), {
    stream: streamOf('change_request', id),
    actorId: null,
    from: null,
    to: null,
    after: null,
    order: 'asc',
    limit: historyMax,
  });
  const history = await withWords(sources(needs), commands);
  const shown = await shownNow({ ...needs, ...config }, state, request);
  return { body: { ...record, ...shown, history } };
}

type Now = Pick<WholeRequest, 'bodies' | 'change' | 'outcome' | 'refusal' | 'covered_by'>;

const nothing: Now = { bodies: null, change: null, outcome: null, refusal: null, covered_by: [] };

async function shownNow(
  needs: HistoryNeeds & Configuration,
  state: ConfigState,
  request: ChangeRequest,
): Promise<Now> {
  if (request.ended !== null || request.draft === null) return nothing;
  const body = await readBody(needs, request);
  if (isRefusal(body)) return { ...nothing, refusal: said(body) };
  return {
    ...nothing,
    bodies: body.calls.map(shownCallOf),
    ...(await comesTo(needs, state, { request, body })),
  };
}

type Drafted = Readonly<{ request: ChangeRequest; body: ReadBody }>;

async function comesTo(
  needs: HistoryNeeds,
  before: ConfigState,
  { request, body }: Drafted,
): Promise<Partial<Now>> {
  const unfolded = decideCalls(before, body.commands, decide);
  if (isRefusal(unfolded)) return { refusal: said(unfolded) };
  const { state: after } = unfolded;
  const events = unfolded.events.flat();
  const covering = coveringApprovals(before, request, unfolded.events);
  return {
    change: await shownChange(sources(needs), { before, after, events }),
    outcome: outcomeText(unfolded.events).text,
    covered_by: covering.map(({ by }) => by),
  };
}

const said = ({ message, param }: Refusal) => ({ message, param });
