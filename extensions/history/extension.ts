// Defines the history extension: a live stream of changes, and reviews of who could call what
// (docs/guides/undo-a-change.md).

import type { Extension } from '../../src/admin/extension.ts';
import { createPlaces } from '../../src/admin/http/event-stream.ts';
import { accessRoutes } from './access.ts';
import { historyStreamRoutes, historyStreamsMax } from './stream.ts';

export const history = (() => {
  const places = createPlaces(historyStreamsMax);
  return { routes: () => [...historyStreamRoutes(places), ...accessRoutes] as const };
}) satisfies Extension;
