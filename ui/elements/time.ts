// A time relative to now, with the full time in the chosen zone.

import { html } from 'lit';

import { element, flag, text } from './element.ts';
import { formatSince, formatTime } from '../lib/text/format.ts';
import { zone } from '../state/preferences.ts';
import { base } from '../styles/base.ts';
import { Watch } from './watch.ts';

const refreshMs = 10_000;
/** The end of a date and time. */
const zoneAt = 19;

class GwTime extends element({
  /** RFC 3339; empty is shown as "never". */
  at: text(''),
  /** Shows the full time. */
  absolute: flag(),
  /** Omits the zone, if it is shown elsewhere. */
  bare: flag(),
}) {
  static override styles = [base];
  readonly #zone = new Watch(this, zone);
  #timer: ReturnType<typeof setInterval> | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.style.display = 'inline';
    if (!this.absolute) this.#timer = setInterval(() => this.requestUpdate(), refreshMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  protected override render() {
    if (this.at === '') return html`<span class="quiet">never</span>`;
    const at = new Date(this.at);
    const whole = formatTime(at, this.#zone.value);
    const long = this.bare ? whole.slice(0, zoneAt) : whole;
    const text = this.absolute ? long : formatSince(at, Date.now());
    return html`<time datetime=${this.at} title=${whole}>${text}</time>`;
  }
}

customElements.define('gw-time', GwTime);
