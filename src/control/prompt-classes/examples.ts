// Prepares examples of prompt classes for a mutation. Their texts may contain personal data, so
// they go to the vault. The log gets refs and labels.

import type { StoredExample } from '../../../events/prompt-class.ts';
import type { Secret } from '../../db/vault.ts';
import { storedExampleOf } from '../../deciders/prompt-class.ts';
import type { ExampleInput } from '../../lib/fields.ts';
import type { Vaulting } from '../providers/credential.ts';

type Hidden = Readonly<{ example: StoredExample; secret: Secret }>;

export function hiddenExample(
  { vault, newId }: Vaulting,
  { prompt: plaintext, label }: ExampleInput,
): Hidden {
  const ref = newId();
  return {
    example: storedExampleOf(label, { ref, fingerprint: vault.fingerprint(plaintext) }),
    secret: { ref, class: 'example', plaintext },
  };
}
