// Lists the settings of signed checkpoints of the event log.

import { define, hexKey, text, valuesIn } from '../../src/cli/settings/setting.ts';
import type { SettingsPart } from '../../src/cli/settings/setting.ts';

const table = {
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

export const evidenceValues = (settings: Readonly<Record<string, unknown>>) =>
  valuesIn(table, settings);

export const evidenceSettings = {
  table,
  warnings: (settings) => {
    const { auditSigningKey, auditCheckpointFile } = evidenceValues(settings);
    // A process of role all stores the state of the log in its snapshot cache.
    const forgets = auditSigningKey !== null && auditCheckpointFile === null;
    return settings.role === 'control' && forgets ? [forgetful] : [];
  },
} satisfies SettingsPart;

const forgetful =
  'GW_AUDIT_SIGNING_KEY without --audit-checkpoint-file: after a restart, only the database shows what was signed';
