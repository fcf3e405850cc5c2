// Creates API keys and admin tokens. Only the response to the creation contains the plaintext. The
// vault stores the verifier.

import type { Clock } from '../../lib/clock.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { AdminVerb } from '../../lib/vocabulary.ts';
import type { CommandOf, Mutation } from '../commands/execute.ts';
import { mintAdminToken, tokenDaysMax, tokenDefaultMs, tokenMaxMs } from './admin-tokens.ts';
import { apiKeyRandomBytes, mintApiKey } from './api-key.ts';
import type { MintedApiKey } from './api-key.ts';

export type MintTools = Readonly<{
  clock: Clock;
  newId: () => string;
  randomBytes: (size: number) => Buffer;
}>;

type Minted = Readonly<{ mutation: Mutation; plaintext: string }>;

type NewKey = Readonly<{ name: string; principal_id: PrincipalId; expires_at: string | null }>;

/** `boundBy` is the caller, whose grants limit those of the key. */
export function newApiKey(
  tools: MintTools,
  { name, principal_id: principalId, expires_at: expiresAt }: NewKey,
  boundBy: CommandOf<'CreateApiKey'>['boundBy'],
): Minted | Refusal {
  if (expiresAt !== null && Date.parse(expiresAt) <= tools.clock()) {
    return refuse('invalid', `expires_at ${expiresAt} is in the past`, { param: 'expires_at' });
  }
  return minted(tools, mintApiKey, (verifierRef, prefix) => ({
    type: 'CreateApiKey',
    name,
    principalId,
    prefix,
    verifierRef,
    expiresAt,
    boundBy,
  }));
}

type NewToken = Readonly<{
  name: string;
  principal_id: PrincipalId;
  permissions: readonly AdminVerb[];
  expires_at?: string | undefined;
}>;

/** `boundBy` is the admin token of the request. Null for a person. */
export function newAdminToken(
  tools: MintTools,
  { name, principal_id: principalId, permissions, expires_at: given }: NewToken,
  boundBy: CommandOf<'CreateAdminToken'>['boundBy'],
): Minted | Refusal {
  const expiresAt = readExpiry(given, tools.clock());
  if (isRefusal(expiresAt)) return expiresAt;
  return minted(tools, mintAdminToken, (verifierRef, prefix) => ({
    type: 'CreateAdminToken',
    name,
    principalId,
    prefix,
    verifierRef,
    permissions,
    expiresAt,
    boundBy,
  }));
}

function minted(
  { newId, randomBytes }: MintTools,
  mint: (random: Uint8Array) => MintedApiKey,
  commandOf: (verifierRef: string, prefix: string) => Mutation['command'],
): Minted {
  const { key: plaintext, prefix, verifier } = mint(randomBytes(apiKeyRandomBytes));
  const ref = newId();
  const secrets = [{ ref, class: 'key_verifier', plaintext: verifier }] as const;
  return { mutation: { command: commandOf(ref, prefix), secrets }, plaintext };
}

/** RFC 3339. */
function readExpiry(given: string | undefined, now: number): string | Refusal {
  const at = given === undefined ? now + tokenDefaultMs : Date.parse(given);
  const param = 'expires_at';
  if (at <= now) return refuse('invalid', `${param} ${given} is in the past`, { param });
  if (at <= now + tokenMaxMs) return toRfc3339(at);
  return refuse('invalid', `${param} ${given} is more than ${tokenDaysMax} days away`, { param });
}
