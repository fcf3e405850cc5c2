// Defines the change request extension: several calls drafted as one change, approved by a second
// person, and applied at once or at a given time (docs/guides/four-eyes.md).

import { randomUUID } from 'node:crypto';

import type { Core, Extension } from '../../src/admin/extension.ts';
import type { ServedRoute } from '../../src/admin/http/route.ts';
import { keepChangeRequests } from './due.ts';
import { changeRequestRoutes } from './routes.ts';

/** Interval of the check for due and expired change requests. */
const intervalMs = 5_000;

export const changeRequests = ((core: Core) => ({
  routes: (others: readonly ServedRoute[]) => changeRequestRoutes(others),
  jobs: ({ log }) => [
    {
      what: 'applying and expiring change requests',
      intervalMs,
      work: () => {
        const { plane, past, clock } = core();
        return keepChangeRequests({ plane: { ...plane, past }, clock, newId: randomUUID, log });
      },
    },
  ],
})) satisfies Extension;
