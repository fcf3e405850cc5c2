// Holds every setting of the operator, once: its flag, its GW_* variable, its default, its type, its meaning.

import { z } from 'zod';

import { define } from './setting.ts';
import { settingsTable } from './settings-table.ts';

const label = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, {
  error: 'must be lower-case letters, digits and dashes, at most 63',
});

export const operatorSettings = {
  namespace: define({
    flag: '--namespace',
    variable: 'GW_OPERATOR_NAMESPACE',
    schema: label,
    fallback: null,
    description: 'namespace whose deployments are managed; default that of this pod',
  }),
  lease: define({
    flag: '--lease',
    variable: 'GW_OPERATOR_LEASE',
    schema: label,
    fallback: 'gw-operator',
    description: 'name of the Lease in that namespace by which one operator leads',
  }),
  log: settingsTable.log,
  logFormat: settingsTable.logFormat,
} as const;

export type OperatorSettingsTable = typeof operatorSettings;
