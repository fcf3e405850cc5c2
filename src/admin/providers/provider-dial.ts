// Dialling a provider for a route.

import type { Provider } from '../../../projections/config/provider.ts';
import { dialTarget, storedTargets } from '../../control/providers/dial-target.ts';
import type { DialTarget } from '../../control/providers/verify-provider.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Control } from '../control.ts';

/** A provider that does not answer, when it is written, is a wrong input; asked later, a failing upstream. */
export const asInput = (refusal: Refusal): Refusal =>
  refusal.refused === 'upstream'
    ? refuse('invalid', refusal.message, refusal.param === null ? {} : { param: refusal.param })
    : refusal;

/** Null when it answers. */
export async function verify(
  control: Control,
  target: Parameters<typeof dialTarget>[0],
): Promise<Refusal | null> {
  const served = await control.dial(dialTarget(target));
  return isRefusal(served) ? asInput(served) : null;
}

/** What is dialled of a provider that stands, with its stored credential. */
export async function storedTarget(control: Control, provider: Provider): Promise<DialTarget> {
  const targets = await storedTargets(control, [provider]);
  const target = targets.get(provider);
  if (target === undefined) throw new Error('a provider was asked for and has no target');
  return target;
}
