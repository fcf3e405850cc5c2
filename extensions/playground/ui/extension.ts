// Registers the playground extension: its screen, and its link from a new API key.

import type { UiExtension } from '../../../ui/extension.ts';
import { navigate } from '../../../ui/state/location.ts';
import { handKey } from './handed-key.ts';

export const extension: UiExtension = {
  screens: [
    {
      name: 'playground',
      title: 'Playground',
      icon: 'send',
      group: 'Now',
      key: 'g',
      permission: 'config:write',
    },
  ],
  withNewKey: {
    label: 'Send a request',
    icon: 'send',
    permission: 'config:write',
    use: (key) => {
      handKey(key);
      navigate({ screen: 'playground' });
    },
  },
};
