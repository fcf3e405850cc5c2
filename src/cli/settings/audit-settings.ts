// The settings of what a control plane keeps beside its configuration: secrets that went, and signed checkpoints of its event log.

import { define, hexKey, text, wholeNumber } from './setting.ts';

export const auditSettings = {
  secretRetention: define({
    flag: '--secret-retention',
    variable: 'GW_SECRET_RETENTION',
    schema: wholeNumber({ from: 1, to: 3650 }),
    fallback: 30,
    unit: 'days',
    description:
      'how long secrets and personal data stay sealed in the vault once nothing refers to them',
  }),
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
