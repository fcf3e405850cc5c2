// Compares a route with the one that a usage row recorded: reason, decision and answering model.

import type { FrontendModelId, ModelId } from '../lib/ids.ts';
import type { RefusalReason } from '../usage/usage-event.ts';
import type { RecordedRequest } from './explain-recorded.ts';
import { reasonOf } from './route.ts';
import type { Route } from './route.ts';

export type RecordedOutcome = Pick<RecordedRequest, 'route' | 'ruleId'> &
  Readonly<{
    /** Null when the request named a provider model, and in rows of proxies that do not report it. */
    frontendModelId: FrontendModelId | null;
    tag: string | null;
    /** Null when the client disconnected before the answer. */
    status: number | null;
    refusal: RefusalReason | null;
    /** The model that answered or would have. Null when there was no candidate. */
    modelId: ModelId | null;
  }>;

/** One sentence each. Empty when the route is the recorded one. */
export function disagreements(route: Route, recorded: RecordedOutcome): readonly string[] {
  const { decision } = route;
  const reason = recordedReasonOf(route, recorded);
  const rule = decision?.rule?.id ?? null;
  const frontendModel = decision?.frontendModel?.id ?? null;
  const isNamed = recorded.frontendModelId !== null;
  return [
    recorded.route === null ? null : difference('the route', reason, recorded.route),
    isNamed ? difference('the frontend model', frontendModel, recorded.frontendModelId) : null,
    isNamed ? difference('the rule', rule, recorded.ruleId) : null,
    difference('the tag', decision?.tag ?? null, recorded.tag),
    verdictDifference(route, recorded),
  ].filter((one) => one !== null);
}

/** For a refused request, the reason of the decision. */
export function recordedReasonOf(
  route: Route,
  { modelId, refusal }: Pick<RecordedOutcome, 'modelId' | 'refusal'>,
): string | null {
  if (route.kind !== 'chain' || refusal !== null) return route.decision?.reason ?? null;
  const answered = route.candidates.find(({ id }) => id === modelId);
  return answered === undefined ? route.decision.reason : reasonOf(route, answered);
}

function verdictDifference(
  route: Route,
  { refusal, status, modelId }: RecordedOutcome,
): string | null {
  switch (route.kind) {
    case 'absent':
      return 'no model serves the name now';
    case 'out':
      // A backend without a free slot may have left rotation since. The configuration history does not record that.
      return refusal === 'no_backend' || refusal === 'backend_overloaded'
        ? null
        : 'the models that serve it are out of rotation now';
    case 'ungranted':
      return refusal === 'authorisation' ? null : 'the caller has no permission for its models now';
    case 'deny':
      if (refusal !== 'authorisation') return 'a rule denies it now';
      return status === null ? null : difference('the status', route.status, status);
    case 'chain':
      if (refusal === 'authorisation') return 'it was denied at the time';
      if (modelId === null || route.candidates.some(({ id }) => id === modelId)) return null;
      return `model ${modelId} answered, but is not a candidate now`;
  }
}

const difference = (
  what: string,
  now: string | number | null,
  then: string | number | null,
): string | null => (now === then ? null : `${what} is ${now ?? 'none'}, was ${then ?? 'none'}`);
