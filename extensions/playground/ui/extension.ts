// What the playground adds to the management UI: its screen, and the way to it from a new key.

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
    label: 'Send a request with it',
    icon: 'send',
    permission: 'config:write',
    use: (key) => {
      handKey(key);
      navigate({ screen: 'playground' });
    },
  },
};
