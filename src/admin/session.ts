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
    response: z.object({ you: person.nullable() }),
    handle: async (_input, { control, headers }) => {
      const token = sessionToken(headers);
      const id = token === null ? null : await control.sessions.owner(token);
      // A principal that was deleted a moment ago may still have a session.
      if (id === null || verbsOf(control.state(), id) === null) return { body: { you: null } };
      return { body: { you: await asker(control, id) } };
    },
  }),
] as const;
