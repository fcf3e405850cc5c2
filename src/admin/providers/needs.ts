// Declares the dependencies of the routes of providers and models.

import type { PlanPrices } from '../../control/prices/price-sync.ts';
import type { ProviderTools } from '../../control/providers/providers.ts';
import type { RegistrationTools } from '../../control/providers/registration.ts';

export type ProviderNeeds = ProviderTools &
  RegistrationTools &
  Readonly<{ planPrices: PlanPrices }>;
