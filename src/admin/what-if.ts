// What a proposal would have made of requests of the past: newly denied, newly allowed, re-routed, and what it would have cost. Nothing
// is written.

import { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import { momentField } from '../control/history/moment.ts';
import type { Moment } from '../control/history/moment.ts';
import { timestamp, timestampField } from '../lib/fields.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { changes } from '../routing/what-if.ts';
import { calls } from './change-sets.ts';
import type { Control } from './control.ts';
import { isProposable, prepareCalls } from './proposal.ts';
import { none, route } from './route.ts';
import type { Call, Route } from './route.ts';

const requestsMax = 5_000;
const changedMax = 500;

const moment = z.union([
  z
    .int()
    .nonnegative()
    .transform((position): Moment => ({ position })),
  momentField,
]);

const whatIfBody = z.strictObject({
  /** When the requests came; the last 24 hours when absent. */
  since: timestampField.optional(),
  until: timestampField.optional(),
  /** What is proposed: these calls on the configuration as it stands, or another version of it. */
  calls: calls.optional(),
  version: moment.optional(),
  /** What a version is compared with; the configuration as it stands when absent. */
  base: moment.optional(),
  /** How many requests are compared, at even distances when there are more. */
  requests: z.int().min(1).max(requestsMax).default(1_000),
  /** How many of the changed ones are listed. */
  changed: z.int().min(0).max(changedMax).default(50),
});
type Asked = z.output<typeof whatIfBody>;

const count = z.int().nonnegative();
/** Exact, in the quoted currency. */
const cost = z.string();

const counts = {
  requests: count,
  same: count,
  newly_denied: count,
  newly_allowed: count,
  rerouted: count,
  /** Their rows do not tell enough. */
  not_told: count,
  /** In no sum: their cost is not known on one side. */
  unpriced: count,
  cost_before: cost,
  cost_after: cost,
  cost_difference: cost,
};
const rest = z.object(counts).nullable();

/** Null where it hangs on what is not told. */
const destination = z
  .object({
    denied: z.object({ status: z.int(), message: z.string() }).nullable(),
    /** The value of x-gw-route; null where several may decide. */
    route: z.string().nullable(),
    rule_id: z.int().nullable(),
    to: z.object({ kind: z.enum(['model', 'pool']), name: z.string() }).nullable(),
  })
  .nullable();

const place = z.object({ position: count, version: count });

export const whatIfSummary = z.object({
  window: z.object({ since: timestamp, until: timestamp }),
  /** Requests of the window that the compared ones were chosen from, and whether it has older ones, which none was chosen from. */
  recorded: count,
  has_older: z.boolean(),
  compared: count,
  /** Chosen, but time was up. */
  not_reached: count,
  /** Chosen, but their rows do not say which version served them. */
  without_version: count,
  total: z.object(counts),
  by_principal: z.object({
    first: z
      .array(z.object({ principal_id: z.int(), principal: z.string(), ...counts }))
      .readonly(),
    rest,
  }),
  /** By the name that was asked for. */
  by_model: z.object({
    first: z.array(z.object({ model: z.string(), ...counts })).readonly(),
    rest,
  }),
  moves: z.object({
    first: z.array(z.object({ from: z.string(), to: z.string(), requests: count })).readonly(),
    rest: count,
  }),
  /** What is not told of how many requests: condition fields, and `pool` for the member of one that is chosen. */
  not_told: z.object({
    first: z.array(z.object({ what: z.string(), requests: count })).readonly(),
    rest: count,
  }),
  /** The first ones that changed. */
  changed: z
    .array(
      z.object({
        usage_id: z.string(),
        at: timestamp,
        principal_id: z.int(),
        principal: z.string(),
        model: z.string(),
        change: z.enum(changes),
        before: destination,
        after: destination,
        cost_before_micros: z.int().nullable(),
        cost_after_micros: z.int().nullable(),
      }),
    )
    .readonly(),
});

const whatIfRecord = whatIfSummary.extend({
  /** What the proposal is compared with. */
  base: place,
  /** Null for calls, which are no version yet. */
  proposed: place.nullable(),
});

/** `all` are the routes whose calls may be proposed, and others. */
export function whatIfRoutes(all: readonly Route[]) {
  const routes = all.filter(isProposable);
  return [
    route({
      method: 'POST',
      path: '/admin/what-if',
      operation: 'whatIf',
      permission: 'config:write',
      summary: 'What proposed calls, or another version, would have made of requests of the past',
      asks: true,
      refusals: ['absent', 'conflict', 'too_large', 'upstream', 'unavailable'],
      params: none,
      query: none,
      body: whatIfBody,
      response: whatIfRecord,
      handle: async ({ body }, call) => {
        const { control } = call;
        const window = windowOf(body, control);
        if (isRefusal(window)) return window;
        await control.refresh();
        const compared = await statesOf(call, body, routes);
        if (isRefusal(compared)) return compared;
        const { before, after } = compared;
        const sizes = { requestsMax: body.requests, changedMax: body.changed };
        const found = await control.whatIf({ window, before, after, ...sizes });
        if (isRefusal(found)) return found;
        const proposed = body.calls === undefined ? placeOf(after) : null;
        return { body: { base: placeOf(before), proposed, ...found } };
      },
    }),
  ] as const;
}

const dayMs = 24 * 60 * 60 * 1000;

function windowOf({ since: from, until: to }: Asked, { clock }: Control) {
  const until = to ?? new Date(clock()).toISOString();
  const since = from ?? new Date(Date.parse(until) - dayMs).toISOString();
  if (Date.parse(since) < Date.parse(until)) return { since, until };
  return refuse('invalid', `since ${since} is not before until ${until}`, { param: 'since' });
}

type Compared = Readonly<{ before: ConfigState; after: ConfigState }>;

async function statesOf(
  call: Call,
  { calls, version, base }: Asked,
  routes: readonly Route[],
): Promise<Compared | Refusal> {
  const { control } = call;
  const present = control.state();
  if ((calls === undefined) === (version === undefined)) {
    return refuse('invalid', 'either calls or version is needed', { param: 'calls' });
  }
  if (calls !== undefined) {
    if (base !== undefined) return baseOfCalls;
    const proposal = await prepareCalls(call, calls, routes);
    return isRefusal(proposal) ? proposal : { before: present, after: proposal.state };
  }
  const after = version === undefined ? present : await control.past.at(version, 'version');
  if (isRefusal(after)) return after;
  const before = base === undefined ? present : await control.past.at(base, 'base');
  return isRefusal(before) ? before : { before, after };
}

const baseOfCalls = refuse('invalid', 'base: calls are made on the configuration as it stands', {
  param: 'base',
});

const placeOf = ({ position, version }: ConfigState) => ({ position, version });
