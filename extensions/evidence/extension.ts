// Defines the evidence extension: signed checkpoints of the event log, and evidence packs for a
// period (docs/guides/prove-it-to-an-auditor.md).

import type { Core, Extension } from '../../src/admin/extension.ts';
import { signingJobs } from './signing.ts';

export const evidence = ((core: Core) => ({
  jobs: (needs) => signingJobs(core(), needs),
})) satisfies Extension;
