// Asks the server for the effect of a proposal on recorded requests.

import { call } from '../../../ui/api/http/call.ts';
import type { AnswerOf, BodyOf } from '../../../ui/api/http/routes.ts';

export type WhatIf = AnswerOf<'POST', '/admin/what-if'>;
/** The preview of a restore contains this result. */
export type WhatIfSummary = Omit<WhatIf, 'base' | 'proposed'>;
export type WhatIfChanged = WhatIf['changed'][number];
type Body = BodyOf<'POST', '/admin/what-if'>;

/** Calls on the current configuration, or another version. */
export type Proposal = Pick<Body, 'calls' | 'version'>;

export const askWhatIf = (body: Body, signal?: AbortSignal) =>
  call('POST', '/admin/what-if', { body, signal });
