// Whether a route is the one that a usage row recorded: by the reason, by what decided, and by who answered.

import type { FrontendModelId, ModelId } from '../lib/ids.ts';
import type { RefusalReason } from '../usage/usage-event.ts';
import type { RecordedRequest } from './explain-recorded.ts';
import { reasonOf } from './route.ts';
import type { Route } from './route.ts';

export type RecordedOutcome = Pick<RecordedRequest, 'route' | 'ruleId'> &
  Readonly<{
    /** Null where a provider model was named, and in the rows of proxies that do not report it. */
    frontendModelId: FrontendModelId | null;
    tag: string | null;
    /** Null when the client left before there was one. */
    status: number | null;
    refusal: RefusalReason | null;
    /** Who answered, or would have; null when no candidate was left. */
    modelId: ModelId | null;
  }>;

/** What differs, a sentence each; none when the route is the recorded one. */
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

/** The reason that a row has of such a route, by who answered; of a request that was refused, that of the decision. */
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
      return 'now nothing serves it';
    case 'out':
      // A backend that had no free slot may since have left rotation: no version of the configuration records that.
      return refusal === 'no_backend' || refusal === 'backend_overloaded'
        ? null
        : 'now what serves it is out of rotation';
    case 'ungranted':
      return refusal === 'authorisation' ? null : 'now the caller may invoke none of it';
    case 'deny':
      if (refusal !== 'authorisation') return 'now it is denied';
      return status === null ? null : difference('the status', route.status, status);
    case 'chain':
      if (refusal === 'authorisation') return 'then it was denied';
      if (modelId === null || route.candidates.some(({ id }) => id === modelId)) return null;
      return `model ${modelId}, which the row names, is no candidate`;
  }
}

const difference = (
  what: string,
  now: string | number | null,
  then: string | number | null,
): string | null => (now === then ? null : `${what} is ${now ?? 'none'}, was ${then ?? 'none'}`);
