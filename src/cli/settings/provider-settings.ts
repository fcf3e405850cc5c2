// Lists the settings for providers.

import { dynamicProvidersMaxDefault } from '../../control/providers/registration-dial.ts';
import { choice, define, wholeNumber } from './setting.ts';

export const providerSettings = {
  providerSweepInterval: define({
    flag: '--provider-sweep-interval',
    variable: 'GW_PROVIDER_SWEEP_INTERVAL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 60,
    unit: 'seconds',
    description: 'time between requests for the model list of every provider',
  }),
  dynamicProvidersMax: define({
    flag: '--dynamic-providers-max',
    variable: 'GW_DYNAMIC_PROVIDERS_MAX',
    schema: wholeNumber({ from: 0, to: 100_000 }),
    fallback: dynamicProvidersMaxDefault,
    description: 'maximum number of providers that one principal may register',
  }),
  providerRegistration: define({
    flag: '--provider-registration',
    variable: 'GW_PROVIDER_REGISTRATION',
    schema: choice(['any-key', 'permitted']),
    fallback: 'any-key',
    description:
      'who may register providers: any-key (every API key) or permitted (principals with provider:register)',
  }),
};
