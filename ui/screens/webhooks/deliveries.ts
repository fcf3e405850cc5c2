// Draws the last deliveries of a webhook, sends them again, sends a test, and rotates the secret.

import { html, nothing } from 'lit';

import { call, calling } from '../../api/http/call.ts';
import { asFailure } from '../../api/http/failure.ts';
import type { Webhook, WebhookDelivery } from '../../api/records.ts';
import '../../elements/badge.ts';
import { element, flag, given, state } from '../../elements/element.ts';
import { failureNotice } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { typeTitle } from '../../lib/notifications/webhook-draft.ts';
import { changeOf, seen } from '../../lib/saves/save.ts';
import { formatCount } from '../../lib/text/format.ts';
import '../../parts/bearers/made.ts';
import type { MadeBearer } from '../../parts/bearers/made.ts';
import { notify } from '../../state/toasts.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const tones = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;
const shownMax = 50;

class GwWebhookDeliveries extends element({
  webhook: given<Webhook>(),
  writable: flag(),
  made: state<MadeBearer | null>(null),
}) {
  static override styles = [base, buttons, record];
  readonly #deliveries = new Resource(
    this,
    async (signal) => {
      const asked = { params: { id: this.webhook.id }, query: { limit: shownMax }, signal };
      return (await call('GET', '/admin/webhooks/{id}/deliveries', asked)).body;
    },
    { pollMs: 3_000 },
  );

  protected override render() {
    const { webhook, writable } = this;
    const rows = this.#deliveries.value;
    return html`<div class="section">
        <h3>Deliveries</h3>
        ${
          writable && webhook.format === 'standard'
            ? html`<button type="button" @click=${this.#rotate}>Rotate secret</button>`
            : nothing
        }
        ${
          writable && webhook.enabled
            ? html`<button type="button" @click=${this.#test}>Send test</button>`
            : nothing
        }
      </div>
      ${failureNotice(this.#deliveries)}
      ${
        rows === undefined
          ? nothing
          : rows.length === 0
            ? html`<p class="quiet">No deliveries in the last 7 days. Send a test to try it.</p>`
            : html`<ul class="rows" aria-label="Deliveries">
                ${rows.map((one) => this.#row(one))}
              </ul>`
      }
      <gw-made-bearer
        noun="signing secret"
        .made=${this.made}
        @gw-close=${() => (this.made = null)}
      ></gw-made-bearer>`;
  }

  #row(one: WebhookDelivery) {
    const { state: now, type, attempts, error, next_attempt_at: next } = one;
    const again = `Send again: ${typeTitle(type)}, delivery ${one.id}`;
    return html`<li>
      <gw-badge tone=${tones[now]}>${now}</gw-badge>
      <span>
        ${typeTitle(type)}, <gw-time at=${one.at}></gw-time><br />
        <span class="quiet"
          >${formatCount(attempts, 'attempt')}${
            error === null ? nothing : html`, last: ${error}`
          }${next === null || attempts === 0 ? nothing : html`, next <gw-time at=${next}></gw-time>`}</span
        >
      </span>
      ${
        this.writable && this.webhook.enabled
          ? html`<button
              type="button"
              class="end"
              aria-label=${again}
              @click=${() => this.#resend(one)}
            >
              Send again
            </button>`
          : nothing
      }
    </li>`;
  }

  readonly #test = (): Promise<void> =>
    this.#send(() =>
      call('POST', '/admin/webhooks/{id}/test', { params: { id: this.webhook.id } }),
    );

  #resend({ id: delivery }: WebhookDelivery): Promise<void> {
    const params = { id: this.webhook.id, delivery };
    return this.#send(() =>
      call('POST', '/admin/webhooks/{id}/deliveries/{delivery}/resend', { params }),
    );
  }

  /** Sending changes no configuration, so it needs no review. */
  async #send(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      notify({ tone: 'bad', text: 'Cannot send', detail: asFailure(error).message });
    }
    await this.#deliveries.reload();
  }

  readonly #rotate = (): void => {
    const { webhook } = this;
    const { id, name } = webhook;
    const rotate = calling('POST', '/admin/webhooks/{id}/rotate', seen(webhook));
    const save = changeOf(
      { noun: 'webhook', name },
      {
        heading: `Rotate the secret of ${name}`,
        verb: 'Rotate secret',
        done: `Secret of ${name} rotated`,
        before: null,
        after: null,
        about:
          'Deliveries are signed with both secrets for 24 hours. Update the receiver in that time.',
        run: async (change) => {
          const answer = await rotate(change);
          const { secret } = answer.body;
          this.made = secret === null ? null : { id, name, secret, uses: [] };
          return answer;
        },
      },
    );
    this.dispatchEvent(
      new CustomEvent('gw-review', { detail: save, bubbles: true, composed: true }),
    );
  };
}

customElements.define('gw-webhook-deliveries', GwWebhookDeliveries);
