// Who is logged in. Nobody is an answer too: a page asks before it knows, and that is no failure.

import { z } from 'zod';

import { principalId } from '../lib/ids.ts';
import { verb } from '../lib/vocabulary.ts';
import { sessionToken } from './authorise.ts';
import { asker } from './config.ts';
import { verbsOf } from './permissions.ts';
import { none, route } from './route.ts';

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
    summary: 'Who the session of the cookie is; null when there is none',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.object({
      you: person.nullable(),
      /** The issuer by which people sign on, as the login screen calls it; null: by password alone. */
      single_sign_on: z.object({ label: z.string(), hides_password: z.boolean() }).nullable(),
    }),
    handle: async (_input, { control, headers }) => {
      const token = sessionToken(headers);
      const id = token === null ? null : await control.sessions.owner(token);
      // A principal that was deleted a moment ago may still have a session.
      const isIn = id !== null && verbsOf(control.state(), id) !== null;
      const you = isIn ? await asker(control, id) : null;
      const { signOn } = control;
      const single =
        signOn === null ? null : { label: signOn.label, hides_password: signOn.hidesPassword };
      return { body: { you, single_sign_on: single } };
    },
  }),
] as const;
