// Dials addresses for registrations. Any API key can make the control plane dial any address, so a
// principal has one dial at a time. Dials that people request use a separate limit.

import type { PrincipalId } from '../../lib/ids.ts';
import { createSlots } from '../slots.ts';
import type { Slots } from '../slots.ts';
import { createDial } from './verify-provider.ts';
import type { Dial, DialTarget } from './verify-provider.ts';

export const dynamicProvidersMaxDefault = 256;

/** Refuses with `unavailable` if too many are waiting. */
export type RegistrationDial = (principal: PrincipalId, target: DialTarget) => ReturnType<Dial>;

const ofAll = { parallelMax: 16, waitingMax: 256 } as const;
/** An agent that starts finds all its engines at once. */
const ofOne = { parallelMax: 1, waitingMax: 63, what: 'registrations by this principal' } as const;

export function createRegistrationDial(
  dependencies: Parameters<typeof createDial>[0],
): RegistrationDial {
  const dial = createDial(dependencies, ofAll);
  const lines = new Map<PrincipalId, { slots: Slots; users: number }>();
  return async (principal, target) => {
    const line = lines.get(principal) ?? { slots: createSlots(ofOne), users: 0 };
    lines.set(principal, line);
    line.users += 1;
    try {
      return await line.slots.run(() => dial(target));
    } finally {
      line.users -= 1;
      if (line.users === 0) lines.delete(principal);
    }
  };
}
