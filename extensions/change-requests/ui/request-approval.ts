// Creates a change request instead of saving.

import { draftChangeRequest } from './api.ts';
import type { Alternative } from '../../../ui/extension.ts';
import { navigate } from '../../../ui/state/location.ts';
import { notify } from '../../../ui/state/toasts.ts';

/** The notice links the change request. */
export const send: Alternative['send'] = async ({ title, calls }, change) => {
  const draft = { title, calls: calls.map((call) => Object.assign({}, call)) };
  const { body } = await draftChangeRequest(draft, change);
  const rest = ['requests', body.id];
  notify({
    tone: 'good',
    text: `Change request ${body.id} created`,
    detail: 'A second person can approve it',
    action: { label: 'Open', run: () => navigate({ screen: 'history', rest }) },
  });
};
