// A write-only credential could be read by pointing its record at one's own host: that needs the credential, or a word.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

type Move = Readonly<{
  /** The address that the stored credential belongs to, and the one it would be sent to. */
  from: string;
  to: string;
  /** The field that holds the address. */
  param: string;
}>;

/** Null when both addresses have one origin. */
export function refuseLeak({ from, to, param }: Move): Refusal | null {
  if (new URL(from).origin === new URL(to).origin) return null;
  return refuse(
    'invalid',
    `${param} ${to} would send the stored credential to another origin; ` +
      'send upstream_api_key, or keep_credential: true',
    { param },
  );
}
