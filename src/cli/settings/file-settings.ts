// Settings that decide how a configuration file is read, and whom it is served to.

import { define, onOrOff, text } from './setting.ts';

export const fileSettings = {
  skipUnsupported: define({
    flag: '--skip-unsupported',
    variable: 'GW_SKIP_UNSUPPORTED',
    schema: onOrOff,
    fallback: false,
    description:
      'leave out entries of model_list that gw cannot serve, with a warning each, instead of refusing the file',
  }),
  open: define({
    flag: '--open',
    variable: 'GW_OPEN',
    schema: onOrOff,
    fallback: false,
    description:
      'serve a configuration file that asks for authentication which gw does not do, to everyone',
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
