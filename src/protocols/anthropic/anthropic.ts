// Protocol `anthropic`, the specification's native_a: the Messages API behind chat completions.

import type { ChatTranslation } from '../translation.ts';
import { translateRequest } from './request.ts';
import { translateResponse } from './response.ts';
import { openStream } from './stream.ts';

export const anthropic: ChatTranslation = { translateRequest, translateResponse, openStream };
