// The settings of the providers that a control plane looks after, a part of the settings table.

import { dynamicProvidersMaxDefault } from '../../control/providers/registration-dial.ts';
import { choice, define, wholeNumber } from './setting.ts';

export const providerSettings = {
  providerSweepInterval: define({
    flag: '--provider-sweep-interval',
    variable: 'GW_PROVIDER_SWEEP_INTERVAL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 60,
    unit: 'seconds',
    description: 'how often the control plane asks every provider for its model list',
  }),
  dynamicProvidersMax: define({
    flag: '--dynamic-providers-max',
    variable: 'GW_DYNAMIC_PROVIDERS_MAX',
    schema: wholeNumber({ from: 0, to: 100_000 }),
    fallback: dynamicProvidersMaxDefault,
    description: 'how many providers one principal may hold by registration',
  }),
  providerRegistration: define({
    flag: '--provider-registration',
    variable: 'GW_PROVIDER_REGISTRATION',
    schema: choice(['any-key', 'permitted']),
    fallback: 'any-key',
    description:
      'who may register providers: any-key is every API key, permitted is the keys of principals that hold provider:register',
  }),
};
