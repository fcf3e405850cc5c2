// Rejects changes that could expose a write-only credential by pointing its record at another host.
// The request must contain the credential or confirm explicitly.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

type Move = Readonly<{
  from: string;
  to: string;
  param: string;
}>;

/** Null if both addresses have the same origin. */
export function refuseLeak({ from, to, param }: Move): Refusal | null {
  if (new URL(from).origin === new URL(to).origin) return null;
  return refuse(
    'invalid',
    `${param} ${to} would send the stored credential to another origin; ` +
      'send upstream_api_key, or keep_credential: true',
    { param },
  );
}
