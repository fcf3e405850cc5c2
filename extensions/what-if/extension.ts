// Defines the what-if extension: the effect of a proposed configuration on past requests.

import type { Core, Extension } from '../../src/admin/extension.ts';
import type { ServedRoute } from '../../src/admin/http/route.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { whatIfSummary } from './record.ts';
import { whatIfRoutes } from './routes.ts';
import { createWhatIf, lastDay } from './what-if.ts';

/** Bounds the time of a preview. */
const requestsMax = 500;

export const whatIf = ((core: Core) => {
  const ask = createWhatIf({ core, monotonic: () => performance.now() });
  return {
    routes: (others: readonly ServedRoute[]) => whatIfRoutes({ ask, others }),
    preview: {
      record: whatIfSummary,
      of: async (change) => {
        const window = lastDay(core().clock());
        const found = await ask({ ...change, window, requestsMax, changedMax: 0 });
        return isRefusal(found) ? null : found;
      },
    },
  };
}) satisfies Extension;
