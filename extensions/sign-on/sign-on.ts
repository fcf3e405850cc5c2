// Runs single sign-on from the redirect to the provider to the new session
// (docs/adr/0039-single-sign-on.md).

import type { Dispatcher } from 'undici';

import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import type { Login } from '../../src/control/access/sessions.ts';
import { admit } from './admit.ts';
import type { AdmitDependencies, AdmitOptions } from './admit.ts';
import { createIssuer } from './issuer.ts';
import type { IssuerOptions } from './issuer.ts';
import { readPerson } from './person.ts';
import type { PersonOptions } from './person.ts';
import { openTransaction, sealTransaction, transactionSeconds } from './transaction.ts';
import { isFailure, failure } from './failure.ts';
import type { Failure } from './failure.ts';

export type SignOnOptions = IssuerOptions &
  PersonOptions &
  AdmitOptions &
  Readonly<{
    /** The public URL of the admin listener. Null uses the Host header of the request. */
    publicUrl: string | null;
    /** The issuer's name on the login screen. */
    label: string;
    /** True if the login screen hides the password form by default. */
    hidesPassword: boolean;
  }>;

export type SignOn = Pick<SignOnOptions, 'publicUrl' | 'label' | 'hidesPassword'> &
  Readonly<{
    begin: (asked: Asked) => Promise<Begun | Failure>;
    finish: (answered: Answered) => Promise<Finished | Failure | Refusal>;
  }>;

type Asked = Readonly<{ redirectUri: string; returnTo: string; oldSession: string | null }>;

/** `sealed` is stored in the browser's cookie. */
type Begun = Readonly<{ url: URL; sealed: string }>;

/** `search` is the query string of the callback. */
type Answered = Readonly<{ sealed: string; search: string; requestId: string; path: string }>;

type Finished = Readonly<{ login: Login; returnTo: string; oldSession: string | null }>;

type Dependencies = AdmitDependencies &
  Readonly<{ dispatcher: Dispatcher; clock: Clock; monotonic: () => number }>;

export function createSignOn(options: SignOnOptions, dependencies: Dependencies): SignOn {
  const { vault, clock } = dependencies;
  const { publicUrl, label, hidesPassword } = options;
  const issuer = createIssuer(options, dependencies);
  return {
    publicUrl,
    label,
    hidesPassword,
    begin: async (asked) => {
      const begun = await issuer.begin(asked.redirectUri);
      if (isFailure(begun)) return begun;
      const until = clock() + transactionSeconds * 1000;
      const sealed = sealTransaction(vault, { ...begun.secrets, ...asked, until });
      return { url: begun.url, sealed };
    },
    finish: async ({ sealed, search, requestId, path }) => {
      const known = openTransaction(vault, sealed, clock());
      if (known === null) return failure('stale', 'no sign-in of this browser');
      const callback = new URL(known.redirectUri);
      callback.search = search;
      // Before the issuer is contacted: a callback that another site forged must have no effect.
      if (callback.searchParams.get('state') !== known.state) return failure('stale', 'state');
      const finished = await issuer.finish(callback, known);
      if (isFailure(finished)) return finished;
      const person = readPerson(finished.claims, options);
      if (isFailure(person)) return person;
      const login = await admit(dependencies, options, { person, requestId, path });
      if (isRefusal(login) || isFailure(login)) return login;
      return { login, returnTo: known.returnTo, oldSession: known.oldSession };
    },
  };
}
