// Shown instead of a screen that does not exist, or that the user has no permission to see.

import { html } from 'lit';

import '../elements/empty.ts';
import '../elements/page.ts';
import type { Screen } from '../extension.ts';
import { linkTo } from '../state/location.ts';

export const noSuchPage = (name: string) =>
  html`<gw-page heading="Page not found">
    <gw-empty heading="No page at ${name}">
      <a class="button" href=${linkTo({ screen: 'overview' })}>Go to the overview</a>
    </gw-empty>
  </gw-page>`;

export const noRights = ({ title }: Screen) =>
  html`<gw-page heading=${title}>
    <gw-empty heading="You don't have access to this page" icon="shield-check">
      <span slot="about">An administrator can grant you a role with usage:read.</span>
    </gw-empty>
  </gw-page>`;
