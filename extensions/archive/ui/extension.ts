// Registers the archive extension: the state of the archive on the screen of usage.

import { html } from 'lit';

import type { UiExtension } from '../../../ui/extension.ts';

export const extension: UiExtension = {
  belowUsage: () => {
    void import('./state.ts');
    return html`<gw-usage-archive></gw-usage-archive>`;
  },
};
