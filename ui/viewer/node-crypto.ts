// Stands for node:crypto where the fold runs in a browser: the one function of it that the events name.

import { createDigest } from './log/sha256.ts';

const digest = createDigest();

/** `sha256` is the only algorithm that is asked for. */
export const hash = (_algorithm: 'sha256', data: string | Uint8Array): string => digest(data);
