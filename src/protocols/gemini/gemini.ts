// Implements protocol `gemini` (native_b of the specification): serves chat completions from
// generateContent.

import type { ChatTranslation } from '../translation.ts';
import { translateRequest } from './request.ts';
import { translateResponse } from './response.ts';
import { openStream } from './stream.ts';

export const gemini: ChatTranslation = { translateRequest, translateResponse, openStream };
