// The settings of the providers that a control plane looks after, a part of the settings table.

import { dynamicProvidersMaxDefault } from '../control/registration-dial.ts';
import { define, wholeNumber } from './setting.ts';

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
};
