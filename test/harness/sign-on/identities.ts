// Links identities for single sign-on without an issuer.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import type { Identity } from '../../../events/principal.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import type { PrincipalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

type Linked = Readonly<{ id: PrincipalId; subject: string; roles?: readonly string[] }>;

/** Links the identity as the first sign-in of that subject does. */
export async function linkIdentity(
  { execute, vault }: Pick<ControlPlane, 'execute' | 'vault'>,
  { id, subject, roles = [] }: Linked,
): Promise<Identity> {
  const issuer = 'https://id.example';
  const ref = randomUUID();
  const identity = { issuer, ref, fingerprint: vault.fingerprint(`${issuer} ${subject}`) };
  const outcome = await execute(
    {
      command: { type: 'AdmitIdentity', identity, first: { kind: 'link', id }, roles },
      secrets: [{ ref, class: 'personal', plaintext: subject }],
    },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'GET',
      target: '/auth/oidc/callback',
      requestId: 'test',
      reason: null,
    },
  );
  assert.ok(!isRefusal(outcome));
  return identity;
}
