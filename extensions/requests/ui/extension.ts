// Registers the extension requests: its screen.

import type { UiExtension } from '../../../ui/extension.ts';

export const extension: UiExtension = {
  screens: [{ name: 'requests', title: 'Requests', icon: 'list-filter', group: 'Now', key: 'q' }],
};
