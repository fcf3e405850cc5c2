// Explains why the user cannot send requests here.

import { html } from 'lit';

import '../../../ui/elements/empty.ts';
import { linkTo } from '../../../ui/state/location.ts';

export const forbidden = () =>
  html`<gw-empty heading="You cannot send requests here" icon="send">
    <span slot="about"
      >The playground needs the permission config:write. Ask an administrator for a role, or send
      the request with an API key and any client.</span
    >
  </gw-empty>`;

export const unknownGateway = () =>
  html`<gw-empty
    heading="The gateway address is unknown"
    icon="send"
    command="gw --role control --gateway-url https://gateway.example"
  >
    <span slot="about"
      >Start the control plane with --gateway-url or GW_GATEWAY_URL, set to the address that clients
      use.</span
    >
    <a class="button" href=${linkTo({ screen: 'settings', query: { q: 'gateway-url' } })}
      >View startup settings</a
    >
  </gw-empty>`;
