// What the routes of principals, credentials and logins need of the program.

import type { AdminTokens } from '../../control/access/admin-tokens.ts';
import type { LoginTools } from '../../control/access/login.ts';
import type { MintTools } from '../../control/access/mint.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import type { SignInLink } from '../../control/access/sign-in-link.ts';

/** Another way to sign in than by password. */
export type SingleSignOn = Readonly<{ label: string; hidesPassword: boolean }>;

export type AccessNeeds = LoginTools &
  MintTools &
  Readonly<{
    sessions: Sessions;
    adminTokens: AdminTokens;
    /** Null: people log in by password alone. */
    singleSignOn: () => SingleSignOn | null;
    /** Only gw dev has one. */
    signInLink: SignInLink | null;
    /** Without config:write, keys are made only for principals that may do no more than who makes them. */
    strictKeyMint: boolean;
    /** Cookies carry Secure when the listener speaks TLS. */
    secureCookies: boolean;
  }>;
