// Lists the translations from and to chat completions, by protocol (Gateway rule 14).

import type { Protocol } from '../lib/vocabulary.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { gemini } from './gemini/gemini.ts';
import type { ChatTranslation } from './translation.ts';

/** The chat protocol itself needs no translation. */
export const translations: Readonly<Partial<Record<Protocol, ChatTranslation>>> = {
  anthropic,
  gemini,
};
