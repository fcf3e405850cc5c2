// Replaces `hash` of node:crypto in the browser. Log verification calls it for every event.

import { createDigest } from './sha256.ts';

const digest = createDigest();

/** Only `sha256` is supported, the only algorithm that the project uses. */
export const hash = (_algorithm: 'sha256', data: string | Uint8Array): string => digest(data);
