// The settings of a control plane that signs checkpoints of its event log.

import { define, hexKey, text } from './setting.ts';

export const auditSettings = {
  auditSigningKey: define({
    flag: null,
    variable: 'GW_AUDIT_SIGNING_KEY',
    schema: hexKey,
    fallback: null,
    secret: true,
    description:
      'private Ed25519 key that signs checkpoints of the event log; none, none is signed',
  }),
  auditSigningKeyPrevious: define({
    flag: null,
    variable: 'GW_AUDIT_SIGNING_KEY_PREVIOUS',
    schema: hexKey,
    fallback: null,
    secret: true,
    description: 'the audit key before, which hands over to the new one',
  }),
  auditCheckpointFile: define({
    flag: '--audit-checkpoint-file',
    variable: 'GW_AUDIT_CHECKPOINT_FILE',
    schema: text,
    fallback: null,
    description:
      'file that each signed checkpoint of the event log is added to, a line of JSON each',
  }),
} as const;
