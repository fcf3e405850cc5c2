// Draws the state of the live view, with its pause.

import { html, nothing } from 'lit';

import '../../../ui/elements/icon.ts';
import { formatNumber } from '../../../ui/lib/text/format.ts';
import type { Live } from './live.ts';

export const liveBar = (live: Live) =>
  html`<div class="live">
    <span role="status" class=${live.isConnected ? 'on' : 'off'}>${stateOf(live)}</span>
    <button type="button" @click=${() => live.turnPause()}>
      <gw-icon name=${live.isPaused ? 'play' : 'pause'}></gw-icon>${
        live.isPaused ? 'Show new requests' : 'Hold new requests'
      }
    </button>
    ${
      live.hasSkipped
        ? html`<span class="quiet">Some requests are not shown: too many arrive at once.</span>`
        : nothing
    }
  </div>`;

function stateOf({ isConnected, isPaused, waiting, failure }: Live): string {
  if (!isConnected) return failure === null ? 'Connecting…' : `Reconnecting: ${failure.message}`;
  return isPaused ? `Held: ${formatNumber(waiting.length)} new` : 'Live';
}
