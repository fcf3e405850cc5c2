// Prepares calls of the admin API without making them. Each is handled by its own route, on the
// state after the previous calls, up to the command that it would execute. So a proposal obeys
// every rule of the single calls: providers are dialled and passwords hashed, but nothing is
// written.

import type { GwEvent } from '../../../events/catalogue.ts';
import { draftablePaths } from '../../../events/nouns.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Mutation } from '../../control/commands/execute.ts';
import type { Secret } from '../../db/vault.ts';
import { decide, isSingle } from '../../deciders/decide.ts';
import type { SingleCommand } from '../../deciders/decide.ts';
import { createUnfolding } from '../../deciders/reconcile/unfolding.ts';
import type { Unfolding } from '../../deciders/reconcile/unfolding.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { noEntity } from '../http/entity.ts';
import type { RawInput } from '../http/input.ts';
import { isMutation } from '../http/once.ts';
import { resourceOf } from '../openapi/openapi-tags.ts';
import type { Call, Method, Route, ServedRoute } from '../http/route.ts';

/** `path` has no query. */
export type ProposedCall = Readonly<{ method: Method; path: string; body?: unknown }>;

/** `state` is the state after the events. */
export type Proposal = Readonly<{
  commands: readonly SingleCommand[];
  secrets: readonly Secret[];
  events: readonly GwEvent[];
  /** Per call. */
  counts: readonly number[];
  state: ConfigState;
}>;

export const isProposable = (route: Route): boolean =>
  isMutation(route) &&
  route.permission === 'config:write' &&
  draftablePaths.includes(resourceOf(route));

/** Dialling a provider takes seconds. */
const readyMs = 60_000;

/** A refusal names the index, from 0, of the call that cannot be made. */
export async function prepareCalls(
  call: Call,
  clock: Clock,
  { calls, routes }: Readonly<{ calls: readonly ProposedCall[]; routes: readonly ServedRoute[] }>,
): Promise<Proposal | Refusal> {
  const startedAt = clock();
  const on = createUnfolding(call.config.state());
  const commands: SingleCommand[] = [];
  const secrets: Secret[] = [];
  const counts: number[] = [];
  for (const [index, proposed] of calls.entries()) {
    const before = on.events().length;
    const isLate = clock() - startedAt > readyMs;
    const mutation = isLate ? tooSlow : await takeDown({ call, routes, on }, proposed);
    if (isRefusal(mutation)) return within(index, mutation);
    const { command, secrets: own = [] } = mutation;
    // No route that may be proposed calls this.
    if (!isSingle(command)) throw new Error('a proposed call made a proposal itself');
    const refusal = on.take(decide(on.state(), command));
    if (refusal !== null) return within(index, refusal);
    commands.push(command);
    secrets.push(...own);
    counts.push(on.events().length - before);
  }
  return { commands, secrets, events: on.events(), counts, state: on.state() };
}

const tooSlow = refuse('too_large', `was not reached within ${readyMs / 1000} s; send fewer calls`);

const within = (index: number, refusal: Refusal): Refusal => {
  const place = `calls.${index}`;
  const param = refusal.param === null ? place : `${place}.${refusal.param}`;
  return { ...refusal, message: `${place}: ${refusal.message}`, param };
};

type Surroundings = Readonly<{ call: Call; routes: readonly ServedRoute[]; on: Unfolding }>;

/** The mutation that the call's route would have executed. */
async function takeDown(
  { call, routes, on }: Surroundings,
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
  const taken: { mutation?: Mutation } = {};
  const config = {
    ...call.config,
    state: on.state,
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
