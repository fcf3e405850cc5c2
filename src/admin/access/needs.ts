// Declares the dependencies of the routes of principals, credentials and logins.

import type { AdminTokens } from '../../control/access/admin-tokens.ts';
import type { LoginTools } from '../../control/access/login.ts';
import type { MintTools } from '../../control/access/mint.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import type { SignInLink } from '../../control/access/sign-in-link.ts';

/** A way to sign in other than by password. */
export type SingleSignOn = Readonly<{ label: string; hidesPassword: boolean }>;

export type AccessNeeds = LoginTools &
  MintTools &
  Readonly<{
    sessions: Sessions;
    adminTokens: AdminTokens;
    /** Null if only password login is available. */
    singleSignOn: () => SingleSignOn | null;
    /** Only gw dev has a sign-in link. */
    signInLink: SignInLink | null;
    /**
     * A caller without config:write can create keys only for principals that have no more
     * permissions than the caller.
     */
    strictKeyMint: boolean;
    /** Sets the Secure attribute of cookies if the listener uses TLS. */
    secureCookies: boolean;
  }>;
