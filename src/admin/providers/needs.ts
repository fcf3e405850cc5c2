// What the routes of providers and models need of the program.

import type { PlanPrices } from '../../control/prices/price-sync.ts';
import type { ProviderTools } from '../../control/providers/providers.ts';
import type { RegistrationTools } from '../../control/providers/registration.ts';

export type ProviderNeeds = ProviderTools &
  RegistrationTools &
  Readonly<{ planPrices: PlanPrices }>;
