// Evidence for auditors: signed checkpoints of the event log, and packs of what happened in a time (docs/operate.md).

import type { Core, Extension } from '../../src/admin/extension.ts';
import { signingJobs } from './signing.ts';

export const evidence = ((core: Core) => ({
  jobs: (needs) => signingJobs(core(), needs),
})) satisfies Extension;
