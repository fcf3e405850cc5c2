// Verifies the whole log in this browser: digests, hash chain, audit keys and signed checkpoints.
// Trusts the server only for the position of the last event.

import { css, html, nothing } from 'lit';

import { element, count, state } from '../../elements/element.ts';
import { asFailure } from '../../api/http/failure.ts';
import type { ApiFailure } from '../../api/http/failure.ts';
import { exportedLines } from '../../api/log.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import { createExportCheck, noTrust } from '../../../events/export-check.ts';
import type { Finding } from '../../../events/export-check.ts';
import { browserMeans, canVerify } from '../../lib/history/ed25519.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

type Verified = Readonly<{ position: number; checkpoints: number; problem: Finding | null }>;

/** The number of events between two updates of the progress. */
const drawnEach = 250;

class GwVerifyLog extends element({
  /** The last position of the log. */
  position: count<number>(0),
  verified: state<Verified | null>(null),
  busy: state(false),
  failure: state<ApiFailure | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      :host {
        margin-top: var(--space-3);
      }

      .line {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
      }

      .notice {
        margin: var(--space-2) 0 0;
      }

      .bad {
        background: var(--bad-soft);
      }

      .holds {
        color: var(--good);
      }
    `,
  ];
  #running: AbortController | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#running?.abort();
  }

  protected override render() {
    if (!canVerify()) {
      return html`<p class="quiet">
        The browser can verify the log only on a page served over HTTPS.
      </p>`;
    }
    return html`<div class="line">
        <button type="button" @click=${this.busy ? this.#stop : this.#verify}>
          <gw-icon name=${this.busy ? 'x' : 'shield-check'}></gw-icon>${
            this.busy ? 'Stop' : 'Verify the log in this browser'
          }
        </button>
        <span role="status">${this.#progress()}</span>
      </div>
      ${this.#verdict()} <gw-error .failure=${this.failure}></gw-error>`;
  }

  #progress() {
    if (!this.busy || this.verified === null) return nothing;
    const { position } = this.verified;
    return html`${formatNumber(position)} of ${formatNumber(this.position)} events`;
  }

  #verdict() {
    if (this.busy || this.verified === null) return nothing;
    const { problem, position, checkpoints } = this.verified;
    if (problem !== null) {
      return html`<p class="notice bad" role="alert">
        Verification failed at
        <a href=${linkTo({ screen: 'history', rest: ['events', problem.position] })}
          >position ${problem.position}</a
        >: ${problem.problem}.
      </p>`;
    }
    return html`<p class="notice">
      <gw-icon class="holds" name="circle-check"></gw-icon> Verified:
      ${formatCount(position, 'event')} and ${formatCount(checkpoints, 'signed checkpoint')} are
      intact.
    </p>`;
  }

  readonly #stop = (): void => {
    this.#running?.abort();
    this.verified = null;
  };

  readonly #verify = async (): Promise<void> => {
    const running = new AbortController();
    const check = createExportCheck(noTrust, browserMeans);
    const show = (problem: Finding | null): void => {
      const { position = 0, checkpoints = 0, from = 1 } = check.state() ?? {};
      const missing = { position: 1, problem: 'the export does not start with the first event' };
      this.verified = { position, checkpoints, problem: from === 1 ? problem : missing };
    };
    this.#running = running;
    this.busy = true;
    this.failure = null;
    let lines = 0;
    try {
      for await (const line of exportedLines(running.signal)) {
        const taken = await check.take(line);
        lines += 1;
        if (taken.kind === 'finding') return show(taken);
        if (lines % drawnEach === 0) show(null);
      }
      show(check.end());
    } catch (error) {
      if (!running.signal.aborted) this.failure = asFailure(error);
    } finally {
      running.abort();
      this.busy = false;
    }
  };
}

customElements.define('gw-verify-log', GwVerifyLog);
