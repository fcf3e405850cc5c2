// Why nobody was let in by single sign-on. The login screen has a sentence for each; what the issuer said goes no further than the log.

export const signInTroubles = [
  /** Its issuer did not answer in time. */
  'away',
  /** Its issuer answered what is no answer of an OpenID provider. */
  'broken',
  /** Too many sign-ins at once. */
  'busy',
  /** Too many that failed, from one address. */
  'too_many',
  /** The person, or the issuer, said no. */
  'denied',
  /** The issuer takes nothing from this client: its registration and the settings here differ. */
  'client',
  /** Begun in another browser, or too long ago. */
  'stale',
  /** The issuer does not take the code: it is too old, or was used. */
  'expired',
  /** The times in the ID token and the clock here differ. */
  'clock',
  /** The ID token is not one for this sign-in, or is not signed by the issuer. */
  'token',
  /** The claim that names the person is missing. */
  'unnamed',
  /** The e-mail address is not verified. */
  'unverified',
  /** The ID token does not say the groups, for there are too many or its claim is missing, and roles would be lost. */
  'groups',
  /** Nobody is known by this identity. */
  'unknown',
  /** Whom it was linked with was deleted, or was unlinked by an administrator. */
  'removed',
  /** Several principals fit, or the one that does has another identity. */
  'taken',
] as const;

export type SignInTrouble = (typeof signInTroubles)[number];

/** `why` is for the log: no token, no code, nothing of the person. */
export type Trouble = Readonly<{ trouble: SignInTrouble; why: string }>;

export const trouble = (what: SignInTrouble, why: string): Trouble => ({ trouble: what, why });

export const isTrouble = (value: object): value is Trouble => 'trouble' in value;
