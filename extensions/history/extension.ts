// The history: who changed what, followed as it comes, and who could call what at any moment (docs/guides/undo-a-change.md).

import type { Extension } from '../../src/admin/extension.ts';
import { createPlaces } from '../../src/admin/http/event-stream.ts';
import { accessRoutes } from './access.ts';
import { historyStreamRoutes, historyStreamsMax } from './stream.ts';

export const history = (() => {
  const places = createPlaces(historyStreamsMax);
  return { routes: () => [...historyStreamRoutes(places), ...accessRoutes] as const };
}) satisfies Extension;
