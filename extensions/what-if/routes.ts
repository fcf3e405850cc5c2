// Compares past requests with a proposal: newly denied, newly allowed, re-routed, and the cost.
// Writes nothing.

import { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import { readBody } from '../../src/control/change-requests/body.ts';
import { momentField } from '../../src/control/history/moment.ts';
import type { Moment } from '../../src/control/history/moment.ts';
import { lastDay } from './what-if.ts';
import type { AskWhatIf } from './what-if.ts';
import type { UsageWindow } from '../../src/db/usage/usage-sample.ts';
import { decideCalls } from '../../src/deciders/changes/changes.ts';
import { decide } from '../../src/deciders/decide.ts';
import { timestampField } from '../../src/lib/fields.ts';
import { changeRequestId } from '../../src/lib/ids.ts';
import type { ChangeRequestId } from '../../src/lib/ids.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { calls } from '../../src/admin/changes/change-sets.ts';
import type { HistoryNeeds } from '../../src/admin/history/needs.ts';
import type { Configuration } from '../../src/control/commands/configuration.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isProposable, prepareCalls } from '../../src/admin/changes/proposal.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Call, ServedRoute } from '../../src/admin/http/route.ts';
import { whatIfRecord } from './record.ts';

const requestsMax = 5_000;
const changedMax = 500;

const moment = z.union(
  [
    z
      .int()
      .nonnegative()
      .transform((position): Moment => ({ position })),
    momentField,
  ],
  { error: 'must be a snapshot version, a position of the log or an RFC 3339 time' },
);

const whatIfBody = z.strictObject({
  /** Defaults to the last 24 hours. */
  since: timestampField.optional(),
  until: timestampField.optional(),
  /** The proposal: calls on the current configuration, a change request, or another version. */
  calls: calls.optional(),
  change_request: changeRequestId.optional(),
  version: moment.optional(),
  /** Defaults to the current configuration. */
  base: moment.optional(),
  /** More requests are sampled evenly. */
  requests: z.int().min(1).max(requestsMax).default(1_000),
  changed: z.int().min(0).max(changedMax).default(50),
});
type Asked = z.output<typeof whatIfBody>;

const example = {
  since: '2026-11-20T00:00:00Z',
  until: '2026-11-21T00:00:00Z',
  calls: [
    { method: 'POST', path: '/admin/provider-models', body: { name: 'qwen3-14b' } },
    { method: 'PUT', path: '/admin/principals/1/limits', body: { requests_per_min: 600 } },
  ],
  requests: 500,
};

type Parts = Readonly<{
  ask: AskWhatIf;
  /** Routes whose calls may be proposed. */
  others: readonly ServedRoute[];
}>;

export function whatIfRoutes({ ask, others }: Parts) {
  const routes = others.filter(isProposable);
  return [
    route({
      method: 'POST',
      path: '/admin/what-if',
      operation: 'whatIf',
      permission: 'config:write',
      summary: 'Show how proposed calls or another version would have routed past requests',
      asks: true,
      tag: 'History',
      example,
      refusals: ['absent', 'conflict', 'too_large', 'upstream', 'unavailable'],
      params: none,
      query: none,
      body: whatIfBody,
      response: whatIfRecord,
      handle: async ({ body }, call, needs: HistoryNeeds) => {
        const window = windowOf(body, needs.clock);
        if (isRefusal(window)) return window;
        await call.config.refresh();
        const compared = await statesOf(call, needs, { asked: body, routes });
        if (isRefusal(compared)) return compared;
        const { before, after } = compared;
        const sizes = { requestsMax: body.requests, changedMax: body.changed };
        const found = await ask({ window, before, after, ...sizes });
        if (isRefusal(found)) return found;
        const proposed = body.version === undefined ? null : placeOf(after);
        return { body: { base: placeOf(before), proposed, ...found } };
      },
    }),
  ] as const;
}

function windowOf({ since: from, until: to }: Asked, clock: Clock): UsageWindow | Refusal {
  const day = lastDay(to === undefined ? clock() : Date.parse(to));
  const window = { since: from ?? day.since, until: day.until };
  const { since, until } = window;
  if (Date.parse(since) < Date.parse(until)) return window;
  return refuse('invalid', `since ${since} is not before until ${until}`, { param: 'since' });
}

type Compared = Readonly<{ before: ConfigState; after: ConfigState }>;

async function statesOf(
  call: Call,
  needs: HistoryNeeds,
  { asked, routes }: Readonly<{ asked: Asked; routes: readonly ServedRoute[] }>,
): Promise<Compared | Refusal> {
  const { calls, change_request: request, version, base } = asked;
  const { past, state } = call.config;
  const before = state();
  if ([calls, request, version].filter((given) => given !== undefined).length !== 1) {
    return refuse('invalid', 'one of calls, change_request and version is needed', {
      param: 'calls',
    });
  }
  if (version === undefined && base !== undefined) return baseOfCalls;
  const after =
    calls !== undefined
      ? await stateBehind(prepareCalls(call, needs.clock, { calls, routes }))
      : request !== undefined
        ? await stateBehind(requested({ ...needs, ...call.config }, before, request))
        : await past.at(version ?? before, 'version');
  if (isRefusal(after)) return after;
  if (base === undefined) return { before, after };
  const compared = await past.at(base, 'base');
  return isRefusal(compared) ? compared : { before: compared, after };
}

const baseOfCalls = refuse(
  'invalid',
  'base: cannot be combined with calls, which apply to the current configuration',
  {
    param: 'base',
  },
);

type Proposed = Readonly<{ state: ConfigState }>;

async function stateBehind(proposed: Promise<Proposed | Refusal>): Promise<ConfigState | Refusal> {
  const found = await proposed;
  return isRefusal(found) ? found : found.state;
}

/** On the current configuration. */
async function requested(
  sources: HistoryNeeds & Configuration,
  before: ConfigState,
  id: ChangeRequestId,
): Promise<Proposed | Refusal> {
  const request = before.change_request.byId.get(id);
  if (request === undefined) {
    return refuse('absent', `change request ${id} does not exist`, { param: 'change_request' });
  }
  const body = await readBody(sources, request);
  return isRefusal(body) ? body : decideCalls(before, body.commands, decide);
}

const placeOf = ({ position, version }: ConfigState) => ({ position, version });
