// Replaces `hash` of node:crypto in the browser. Log verification calls it for every event.

import { createDigest } from './sha256.ts';

const digest = createDigest();

/** The project uses only `sha256`. */
export const hash = (_algorithm: 'sha256', data: string | Uint8Array): string => digest(data);
