// Lists the settings for reading and serving a configuration file.

import { define, onOrOff, text } from './setting.ts';

export const fileSettings = {
  skipUnsupported: define({
    flag: '--skip-unsupported',
    variable: 'GW_SKIP_UNSUPPORTED',
    schema: onOrOff,
    fallback: false,
    description:
      'skip entries of model_list that gw cannot serve, with a warning each, instead of refusing the file',
  }),
  open: define({
    flag: '--open',
    variable: 'GW_OPEN',
    schema: onOrOff,
    fallback: false,
    description:
      'serve everyone, even if the configuration file requires authentication that gw does not support',
  }),
  masterKey: define({
    flag: '--master-key',
    variable: 'GW_MASTER_KEY',
    schema: text,
    fallback: null,
    secret: true,
    description: 'deprecated: one key that opens every model',
  }),
} as const;
