// Prepares calls of the admin API without making them. Each is handled by its own route, on the
// state after the previous calls, up to the command that it would execute. So a proposal obeys
// every rule of the single calls: providers are dialled and passwords hashed, but nothing is
// written.

import { draftablePaths } from '../../../events/nouns.ts';
import { openProposal } from '../../control/change-requests/proposal.ts';
import type { OpenProposal, Proposal } from '../../control/change-requests/proposal.ts';
import type { Mutation } from '../../control/commands/execute.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { noEntity } from '../http/entity.ts';
import type { RawInput } from '../http/input.ts';
import { isMutation } from '../http/once.ts';
import { resourceOf } from '../openapi/openapi-tags.ts';
import { verbsOfCaller } from '../http/permissions.ts';
import type { Call, Method, Route, ServedRoute } from '../http/route.ts';

/** `path` has no query. */
export type ProposedCall = Readonly<{ method: Method; path: string; body?: unknown }>;

/** Keys can be revoked, but not created: only the answer to the call contains a key. */
export const isProposable = (route: Route): boolean =>
  isMutation(route) &&
  (route.permission === 'key:revoke' ||
    (route.permission === 'config:write' && draftablePaths.includes(resourceOf(route))));

/** Dialling a provider takes seconds. */
const readyMs = 60_000;

/** A refusal names the index, from 0, of the call that cannot be made. */
export async function prepareCalls(
  call: Call,
  clock: Clock,
  { calls, routes }: Readonly<{ calls: readonly ProposedCall[]; routes: readonly ServedRoute[] }>,
): Promise<Proposal | Refusal> {
  const startedAt = clock();
  const proposal = openProposal(call.config.state());
  for (const [index, proposed] of calls.entries()) {
    const isLate = clock() - startedAt > readyMs;
    const mutation = isLate ? tooSlow : await takeDown({ call, routes, proposal }, proposed);
    if (isRefusal(mutation)) return within(index, mutation);
    const refusal = proposal.add(mutation);
    if (refusal !== null) return within(index, refusal);
  }
  return proposal.close();
}

const tooSlow = refuse('too_large', `was not reached within ${readyMs / 1000} s; send fewer calls`);

const within = (index: number, refusal: Refusal): Refusal => {
  const place = `calls.${index}`;
  const param = refusal.param === null ? place : `${place}.${refusal.param}`;
  return { ...refusal, message: `${place}: ${refusal.message}`, param };
};

type Given = Readonly<{ call: Call; routes: readonly ServedRoute[]; proposal: OpenProposal }>;

/** The mutation that the call's route would have executed. */
async function takeDown(
  { call, routes, proposal }: Given,
  proposed: ProposedCall,
): Promise<Mutation | Refusal> {
  const found = routeOf(routes, proposed);
  if (found === null) {
    const { method, path } = proposed;
    return refuse('invalid', `${method} ${path} cannot be proposed`, {
      param: 'path',
    });
  }
  const { route, raw } = found;
  const { permission } = route;
  if (
    permission === 'key:revoke' &&
    verbsOfCaller(call.config.state(), call.caller)?.has(permission) !== true
  ) {
    return refuse('forbidden', `this call requires the permission ${permission}`);
  }
  const taken: { mutation?: Mutation } = {};
  const config = {
    ...call.config,
    state: proposal.state,
    refresh: nothingToRead,
    execute: (mutation: Mutation) => {
      taken.mutation = mutation;
      return Promise.resolve(takenDown);
    },
  };
  const own = { ...call, config, method: route.method, path: proposed.path };
  const answer = await route.run({ ...own, entity: noEntity, once: null }, raw);
  if (taken.mutation !== undefined) return taken.mutation;
  return isRefusal(answer)
    ? answer
    : refuse(
        'invalid',
        `${proposed.method} ${proposed.path} would change nothing with these parameters`,
      );
}

const nothingToRead = async (): Promise<void> => {};

/** Stops the handler where it would write. Never reaches a client. */
const takenDown = refuse('conflict', 'the call was recorded, not applied');

function routeOf(
  routes: readonly ServedRoute[],
  { method, path, body }: ProposedCall,
): Readonly<{ route: ServedRoute; raw: RawInput }> | null {
  for (const route of routes) {
    const params = route.method === method ? paramsOf(route.path, path) : null;
    if (params !== null) return { route, raw: { params, query: {}, body } };
  }
  return null;
}

function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const [names, given] = [pattern.split('/'), path.split('/')];
  if (names.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const text = given[at] ?? '';
    const [, parameter] = /^\{(\w+)\}$/.exec(name) ?? [];
    const value = parameter === undefined ? null : decoded(text);
    if (parameter === undefined ? name !== text : value === null || value === '') return null;
    if (parameter !== undefined && value !== null) params[parameter] = value;
  }
  return params;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
