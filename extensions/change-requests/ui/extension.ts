// Registers the change request extension: its section of the History screen, and "Request approval"
// in the dialog that saves.

import type { UiExtension } from '../../../ui/extension.ts';

export const extension: UiExtension = {
  sections: [
    {
      value: 'requests',
      label: 'Change requests',
      about: 'Changes that need approval, and past change requests.',
      order: 4,
      load: () => import('./requests.ts'),
    },
  ],
  insteadOfSaving: {
    label: 'Request approval',
    resolves: 'approval_required',
    send: async (proposal, change) =>
      (await import('./request-approval.ts')).send(proposal, change),
  },
};
