// Versions of the snapshot that were published.

import { call } from './call.ts';

/** The newest first. */
export const listSnapshots = (limit: number, signal?: AbortSignal) =>
  call('GET', '/admin/snapshots', { query: { limit }, signal });
