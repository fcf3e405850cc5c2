// Creates a change request instead of saving.

import type { Change } from '../api/http/call.ts';
import { draftChangeRequest } from '../api/change-requests.ts';
import type { DraftCall } from '../lib/changes/change-request.ts';
import { navigate } from '../state/location.ts';
import { notify } from '../state/toasts.ts';

type Proposal = Readonly<{ title: string; calls: readonly DraftCall[] }>;

/** The notice links the change request. */
export async function requestApproval(
  { title, calls }: Proposal,
  change: Pick<Change, 'reason' | 'onceKey'>,
): Promise<void> {
  const draft = { title, calls: calls.map((call) => Object.assign({}, call)) };
  const { body } = await draftChangeRequest(draft, change);
  const rest = ['requests', body.id];
  notify({
    tone: 'good',
    text: `Change request ${body.id} created`,
    detail: 'A second person can approve it',
    action: { label: 'Open', run: () => navigate({ screen: 'history', rest }) },
  });
}
