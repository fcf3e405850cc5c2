// Lists the checks of `gw doctor`, in the order in which they run.

import type { Check } from './check.ts';
import {
  checkClock,
  checkDatabase,
  checkKey,
  checkRights,
  checkSchema,
} from './database-checks.ts';
import { checkCertificates, checkConfiguration, checkDisk } from './file-checks.ts';
import { checkControl, checkListeners, checkProviders, checkWebhooks } from './network-checks.ts';

export const checks: readonly Check[] = [
  { name: 'configuration', run: checkConfiguration },
  { name: 'certificates', run: checkCertificates },
  { name: 'disk', run: checkDisk },
  { name: 'listeners', run: checkListeners },
  { name: 'database', run: checkDatabase },
  { name: 'clock', run: checkClock },
  { name: 'database rights', run: checkRights },
  { name: 'database schema', run: checkSchema },
  { name: 'encryption key', run: checkKey },
  { name: 'control plane', run: checkControl },
  { name: 'providers', run: checkProviders },
  { name: 'webhooks', run: checkWebhooks },
];
