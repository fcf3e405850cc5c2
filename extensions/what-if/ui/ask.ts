// What a proposal would have made of requests of the past.

import { call } from '../../../ui/api/http/call.ts';
import type { AnswerOf, BodyOf } from '../../../ui/api/http/routes.ts';

export type WhatIf = AnswerOf<'POST', '/admin/what-if'>;
/** A restore's preview has one as well. */
export type WhatIfSummary = Omit<WhatIf, 'base' | 'proposed'>;
export type WhatIfChanged = WhatIf['changed'][number];
type Body = BodyOf<'POST', '/admin/what-if'>;

/** What is proposed: calls on the configuration as it stands, or another version of it. */
export type Proposal = Pick<Body, 'calls' | 'version'>;

export const askWhatIf = (body: Body, signal?: AbortSignal) =>
  call('POST', '/admin/what-if', { body, signal });
