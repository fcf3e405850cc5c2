// Protocol `gemini`, the specification's native_b: generateContent behind chat completions.

import type { ChatTranslation } from '../translation.ts';
import { translateRequest } from './request.ts';
import { translateResponse } from './response.ts';
import { openStream } from './stream.ts';

export const gemini: ChatTranslation = { translateRequest, translateResponse, openStream };
