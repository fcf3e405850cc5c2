// Lists the reasons for which single sign-on fails. The login screen has a sentence for each. The
// issuer's own text only goes to the log.

export const signInFailures = [
  /** The issuer did not answer in time. */
  'away',
  /** The issuer's answer is not valid for an OpenID provider. */
  'broken',
  /** Too many concurrent sign-ins. */
  'busy',
  /** Too many failed sign-ins from one address. */
  'too_many',
  /** The person or the issuer denied the sign-in. */
  'denied',
  /** The issuer rejected this client: its registration and the settings differ. */
  'client',
  /** Started in another browser, or expired. */
  'stale',
  /** The issuer rejected the code: expired or already used. */
  'expired',
  /** The times in the ID token and the local clock differ. */
  'clock',
  /** The ID token does not belong to this sign-in, or its signature is invalid. */
  'token',
  /** The claim that names the person is missing. */
  'unnamed',
  /** The e-mail address is not verified. */
  'unverified',
  /**
   * The ID token lacks the groups, because they are too many or the claim is missing. The sign-in
   * would remove roles.
   */
  'groups',
  /** No principal has this identity. */
  'unknown',
  /** The linked principal was deleted, or an administrator unlinked the identity. */
  'removed',
  /** Several principals match, or the matching one has another identity. */
  'taken',
] as const;

export type SignInFailure = (typeof signInFailures)[number];

/** `why` is for the log. It contains no token, code or personal data. */
export type Failure = Readonly<{ failure: SignInFailure; why: string }>;

export const failure = (what: SignInFailure, why: string): Failure => ({ failure: what, why });

export const isFailure = (value: object): value is Failure => 'failure' in value;
