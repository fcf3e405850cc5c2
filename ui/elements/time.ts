// A moment, relative to now, with the whole of it in the zone that was chosen.

import { html } from 'lit';

import { element, flag, text } from './element.ts';
import { formatSince, formatTime } from '../lib/text/format.ts';
import { zone } from '../state/preferences.ts';
import { base } from '../styles/base.ts';
import { Watch } from './watch.ts';

const refreshMs = 10_000;
/** Behind the date and the time. */
const zoneAt = 19;

class GwTime extends element({
  /** RFC 3339; empty is shown as "never". */
  at: text(''),
  /** The whole of it, instead of how long ago. */
  absolute: flag(),
  /** Without the zone, where that is said beside. */
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
