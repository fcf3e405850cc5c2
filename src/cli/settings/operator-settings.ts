// Lists the settings of `gw operator`.

import { z } from 'zod';

import { clusterSettings } from './cluster-settings.ts';
import { define, text, wholeNumber } from './setting.ts';
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
    description: 'namespace of the managed deployments; default that of this pod',
  }),
  lease: define({
    flag: '--lease',
    variable: 'GW_OPERATOR_LEASE',
    schema: label,
    fallback: 'gw-operator',
    description: 'name of the Lease in that namespace that elects the leader',
  }),
  host: define({
    flag: '--host',
    variable: 'GW_HOST',
    schema: text,
    fallback: '127.0.0.1',
    description: 'listen address of /healthz, /readyz and /metrics',
  }),
  port: define({
    flag: '-p,--port',
    variable: 'GW_OPERATOR_PORT',
    schema: wholeNumber({ from: 0, to: 65_535 }),
    fallback: 4002,
    description: 'port of those pages; 0 is any free port',
  }),
  ...clusterSettings,
  log: settingsTable.log,
  logFormat: settingsTable.logFormat,
} as const;

export type OperatorSettingsTable = typeof operatorSettings;
