// Why no chat can be sent from here.

import { html } from 'lit';

import '../../../ui/elements/empty.ts';
import { linkTo } from '../../../ui/state/location.ts';

export const forbidden = () =>
  html`<gw-empty heading="Chats are sent here by those who hold config:write" icon="send">
    <span slot="about"
      >Ask for a role with it, or send the request with a key and any client of the gateway.</span
    >
  </gw-empty>`;

export const unknownGateway = () =>
  html`<gw-empty
    heading="This control plane does not know its gateway"
    icon="send"
    command="gw --role control --gateway-url https://gateway.example"
  >
    <span slot="about"
      >Start it with --gateway-url, or GW_GATEWAY_URL: where clients reach the gateway.</span
    >
    <a class="button" href=${linkTo({ screen: 'settings', query: { q: 'gateway-url' } })}
      >See what it was started with</a
    >
  </gw-empty>`;
