// Declares the dependencies of the routes of principals, credentials and logins.

import type { AdminTokens } from '../../control/access/admin-tokens.ts';
import type { LoginTools } from '../../control/access/login.ts';
import type { MintTools } from '../../control/access/mint.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import type { SignInLink } from '../../control/access/sign-in-link.ts';

export type SingleSignOn = Readonly<{ label: string; hidesPassword: boolean }>;

export type AccessNeeds = LoginTools &
  MintTools &
  Readonly<{
    sessions: Sessions;
    adminTokens: AdminTokens;
    singleSignOn: () => SingleSignOn | null;
    signInLink: SignInLink | null;
    /**
     * Without config:write, a caller can create keys only for principals that have no more
     * permissions than the caller.
     */
    strictKeyMint: boolean;
    /** True if the listener uses TLS. Sets the Secure attribute. */
    secureCookies: boolean;
  }>;
