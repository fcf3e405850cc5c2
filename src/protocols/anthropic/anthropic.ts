// Implements protocol `anthropic` (native_a of the specification): serves chat completions from the
// Messages API.

import type { ChatTranslation } from '../translation.ts';
import { translateRequest } from './request.ts';
import { translateResponse } from './response.ts';
import { openStream } from './stream.ts';

export const anthropic: ChatTranslation = { translateRequest, translateResponse, openStream };
