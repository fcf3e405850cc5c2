// Lists the settings of the vault retention and of signed checkpoints of the event log.

import { define, hexKey, text, wholeNumber } from './setting.ts';

export const auditSettings = {
  secretRetention: define({
    flag: '--secret-retention',
    variable: 'GW_SECRET_RETENTION',
    schema: wholeNumber({ from: 1, to: 3650 }),
    fallback: 30,
    unit: 'days',
    description: 'time until the vault erases secrets and personal data that nothing refers to',
  }),
  auditSigningKey: define({
    flag: null,
    variable: 'GW_AUDIT_SIGNING_KEY',
    schema: hexKey,
    fallback: null,
    secret: true,
    description:
      'private Ed25519 key that signs checkpoints of the event log; without it, checkpoints are unsigned',
  }),
  auditSigningKeyPrevious: define({
    flag: null,
    variable: 'GW_AUDIT_SIGNING_KEY_PREVIOUS',
    schema: hexKey,
    fallback: null,
    secret: true,
    description: 'previous audit key, which signs the handover to the new one',
  }),
  auditCheckpointFile: define({
    flag: '--audit-checkpoint-file',
    variable: 'GW_AUDIT_CHECKPOINT_FILE',
    schema: text,
    fallback: null,
    description: 'file to which each signed checkpoint is appended, one line of JSON each',
  }),
} as const;
