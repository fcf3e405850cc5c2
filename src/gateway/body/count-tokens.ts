// Serves POST /v1/messages/count_tokens with the estimate that limits and rules use, to callers that may send the message
// itself. No backend is chosen, so only grants can refuse it.

import { refusalOfCount } from '../../protocols/messages/count.ts';
import { mayInvoke } from '../../snapshot/compile/callers.ts';
import type { Caller } from '../../snapshot/compile/callers.ts';
import { refuseRequest } from '../answer.ts';
import type { GatewayRefusal } from '../answer.ts';
import type { Generation } from '../generation.ts';
import { denied, notFound } from '../refusals.ts';

/** Null when the count can be answered. Otherwise 400 for missing messages, then 404 or 403 for the model. */
export function refuseCount(
  { snapshot }: Generation,
  caller: Caller,
  { model, body }: Readonly<{ model: string; body: Buffer }>,
): GatewayRefusal | null {
  const wrong = refusalOfCount(body);
  if (wrong !== null) {
    const { message, param } = wrong;
    return refuseRequest('malformed_request', message, { param });
  }
  const concrete = snapshot.models.get(model);
  const named = snapshot.frontendModels.get(model)?.reach ?? (concrete ? [concrete] : []);
  const served = named.filter(({ backends }) => backends.length > 0);
  if (served.length === 0) return notFound(model);
  return served.some((one) => mayInvoke(caller, one)) ? null : denied(model);
}
