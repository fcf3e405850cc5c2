// What stands in the place of a screen that is not there, or that shows nothing to who is in.

import { html } from 'lit';

import '../elements/empty.ts';
import '../elements/page.ts';
import type { Screen } from '../screens.ts';
import { linkTo } from '../state/location.ts';

export const noSuchScreen = (name: string) =>
  html`<gw-page heading="No such screen">
    <gw-empty heading="There is no screen ${name}">
      <a class="button" href=${linkTo({ screen: 'overview' })}>Go to the overview</a>
    </gw-empty>
  </gw-page>`;

export const noRights = ({ title }: Screen) =>
  html`<gw-page heading=${title}>
    <gw-empty heading="Your roles let you see nothing here" icon="shield-check">
      <span slot="about">An administrator can grant you a role with usage:read.</span>
    </gw-empty>
  </gw-page>`;
