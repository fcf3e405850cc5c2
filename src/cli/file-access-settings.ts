// Settings that decide whom a configuration file is served to.

import { define, onOrOff, text } from './setting.ts';

export const fileAccessSettings = {
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
