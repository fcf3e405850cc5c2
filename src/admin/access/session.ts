// Returns the caller of the request. `null` is not an error, because pages call this before
// sign-in.

import { z } from 'zod';

import { verbsHeld } from '../../../projections/config/grants.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import { principalId } from '../../lib/ids.ts';
import { verb } from '../../lib/vocabulary.ts';
import { adminTokenIn, sessionToken } from '../http/authorise.ts';
import { asker } from '../operations/config.ts';
import type { AccessNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import type { Call } from '../http/route.ts';

const person = z.object({
  id: principalId,
  name: z.string(),
  permissions: z.array(verb).readonly(),
});

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/session',
    operation: 'getSession',
    permission: 'open',
    summary: 'Get the principal of the session or admin token; null without either',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.object({
      you: person.nullable(),
      /** The OpenID issuer on the login screen. Null if only password login is available. */
      single_sign_on: z.object({ label: z.string(), hides_password: z.boolean() }).nullable(),
    }),
    handle: async (_input, { config: { state }, headers }, needs: AccessNeeds) => {
      const holder = await holderIn(needs, headers);
      // A session may outlive its principal for a moment.
      const isKnown = holder !== null && verbsHeld(state(), holder) !== null;
      const you = isKnown ? await asker(needs, state(), holder) : null;
      const signOn = needs.singleSignOn();
      const single =
        signOn === null ? null : { label: signOn.label, hides_password: signOn.hidesPassword };
      return { body: { you, single_sign_on: single } };
    },
  }),
] as const;

async function holderIn(
  { adminTokens, sessions }: AccessNeeds,
  headers: Call['headers'],
): Promise<Holder | null> {
  const token = adminTokenIn(headers);
  if (token !== null) return adminTokens.holder(token);
  const session = sessionToken(headers);
  const principalId = session === null ? null : await sessions.owner(session);
  return principalId === null ? null : { principalId, tokenId: null };
}
