// Registers the change request extension: its section of the History screen, "Request approval" in
// the dialog that saves, and the requests that wait for a person.

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
  waiting: {
    permission: 'config:write',
    load: async (person, signal) => (await import('./waiting.ts')).load(person, signal),
  },
  insteadOfSaving: {
    label: 'Request approval',
    resolves: 'approval_required',
    send: async (proposal, change) =>
      (await import('./request-approval.ts')).send(proposal, change),
  },
};
