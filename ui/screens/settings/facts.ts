// Draws the facts of the process and of the signed-in user.

import { css, html } from 'lit';

import { element, given } from '../../elements/element.ts';
import type { Config } from '../../api/records.ts';
import '../../elements/badge.ts';
import { formatCount, formatDuration, formatNumber } from '../../lib/text/format.ts';
import { base } from '../../styles/base.ts';
import { panels } from '../../styles/panels.ts';
import { record } from '../../styles/record.ts';

const onOff = (value: boolean): string => (value ? 'yes' : 'no');

const webhookText = ({ webhook_configured, webhook_signed }: Config): string =>
  webhook_configured ? `set, ${webhook_signed ? 'signed' : 'unsigned'}` : 'none';

class GwProcessFacts extends element({
  config: given<Config>(),
}) {
  static override styles = [
    base,
    record,
    panels,
    css`
      :host {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
        gap: var(--space-3);
      }

      dt:last-of-type,
      dd:last-of-type {
        border-bottom: 0;
      }
    `,
  ];

  protected override render() {
    return html`${this.#you()} ${this.#process()} ${this.#serving()}`;
  }

  #you() {
    const { you, session_ttl_hours, sessions } = this.config;
    return html`<section class="panel">
      <h2>You</h2>
      <dl>
        <dt>Name</dt>
        <dd>${you.name} (principal ${you.id})</dd>
        <dt>Permissions</dt>
        <dd>${you.permissions.map((one) => html`<div><code>${one}</code></div>`)}</dd>
        <dt>Session</dt>
        <dd>
          Expires ${formatNumber(session_ttl_hours)} h after sign-in.
          ${formatCount(sessions, 'active session')} in total
        </dd>
      </dl>
    </section>`;
  }

  #process() {
    const { config } = this;
    return html`<section class="panel">
      <h2>This process</h2>
      <dl>
        <dt>Version</dt>
        <dd>gw ${config.version}</dd>
        <dt>Role</dt>
        <dd>${config.role}</dd>
        <dt>Uptime</dt>
        <dd>${formatDuration(config.uptime_seconds * 1_000)}</dd>
        <dt>TLS</dt>
        <dd>${onOff(config.tls)}</dd>
        <dt>Snapshot</dt>
        <dd>
          ${config.snapshot_version === null ? 'none yet' : `version ${config.snapshot_version}`}
        </dd>
        <dt>Failed rebuilds</dt>
        <dd>
          ${
            config.snapshot_rebuild_failures === 0
              ? 'none'
              : html`<gw-badge tone="bad">${config.snapshot_rebuild_failures}</gw-badge>`
          }
        </dd>
      </dl>
    </section>`;
  }

  #serving() {
    const { config } = this;
    return html`<section class="panel">
      <h2>Services</h2>
      <dl>
        <dt>Models</dt>
        <dd>${config.models === 0 ? 'none' : formatNumber(config.models)}</dd>
        <dt>Unpriced models</dt>
        <dd>${config.models_unpriced === 0 ? 'none' : formatNumber(config.models_unpriced)}</dd>
        <dt>Cached models</dt>
        <dd>${config.models_cached === 0 ? 'none' : formatNumber(config.models_cached)}</dd>
        <dt>Fast classifier</dt>
        <dd>${config.classifier_tier1 ?? html`<span class="quiet">none</span>`}</dd>
        <dt>Refined classifier</dt>
        <dd>${config.classifier_tier2 ?? html`<span class="quiet">none</span>`}</dd>
        <dt>Tracing</dt>
        <dd>${config.otel_endpoint ?? html`<span class="quiet">off</span>`}</dd>
        <dt>Webhook</dt>
        <dd>${webhookText(config)}</dd>
      </dl>
    </section>`;
  }
}

customElements.define('gw-process-facts', GwProcessFacts);
