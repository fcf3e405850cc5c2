// Defines the extension requests: totals, histograms and a live view of the requests that a filter selects
// (docs/guides/find-requests.md).

import type { Extension } from '../../src/admin/extension.ts';
import { createPlaces } from '../../src/admin/http/event-stream.ts';
import { summaryRoute } from './summary.ts';
import { tailRoute, tailsMax } from './tail.ts';

export const requests = (() => {
  const places = createPlaces(tailsMax);
  return { routes: () => [summaryRoute, tailRoute(places)] as const };
}) satisfies Extension;
