// One model: its price and sizes, the backend that serves it with its flow control, and what comes to it.

import { LitElement, html, nothing } from 'lit';

import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/icon.ts';
import '../../elements/money.ts';
import { queuedDefault } from '../../lib/providers/backend-draft.ts';
import { fieldLabels } from '../../lib/text/field-label.ts';
import { formatNumber } from '../../lib/text/format.ts';
import { factRow } from '../../parts/facts.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { ModelRow } from './load.ts';

type Backend = NonNullable<ModelRow['backend']>;

const or = (value: number | null, unset: string, unit = '') =>
  value === null ? html`<span class="quiet">${unset}</span>` : `${formatNumber(value)}${unit}`;

/** Tells by `gw-detach`. */
class GwModelRecord extends LitElement {
  static override properties = { model: { attribute: false }, writable: { type: Boolean } };
  static override styles = [base, buttons, record];
  declare model: ModelRow;
  declare writable: boolean;

  constructor() {
    super();
    this.writable = false;
  }

  protected override render() {
    const { model } = this;
    return html`${
        model.description === null ? nothing : html`<p class="notice">${model.description}</p>`
      }
      <dl>
        <dt>Id</dt>
        <dd>${model.id}<gw-copy text=${String(model.id)} label="id"></gw-copy></dd>
        <dt>Name</dt>
        <dd><code>${model.name}</code><gw-copy text=${model.name} label="name"></gw-copy></dd>
        <dt>Input price</dt>
        <dd>${this.#price(model.input_price_per_mtok)}</dd>
        <dt>Output price</dt>
        <dd>${this.#price(model.output_price_per_mtok)}</dd>
        <dt>Context length</dt>
        <dd>${or(model.context_length, 'not known', ' tokens')}</dd>
        <dt>Cache</dt>
        <dd>${or(model.cache_ttl_seconds, 'answers are not cached', ' s')}</dd>
        ${factRow(usageFact({ grouping: 'model', name: model.name, hasCharts: true }))}
      </dl>
      ${this.#head()}
      ${
        model.backend === null
          ? html`<p class="quiet">Attached to no provider: no request can go to it.</p>`
          : this.#backend(model.backend)
      }
      ${
        model.closed
          ? html`<p class="notice warn">
              Learned from a host. No caller can reach it with <code>model/*</code> until you use it
              in a frontend model, pool or fallback, or grant <code>model/${model.name}</code>.
            </p>`
          : nothing
      }
      ${this.#uses()}`;
  }

  #price(micros: number | null) {
    return html`<gw-money exact .micros=${micros}></gw-money>${
        micros === null ? nothing : html` <span class="quiet">per million tokens</span>`
      }`;
  }

  #head() {
    const { id, backend } = this.model;
    const isAttached = backend !== null;
    return html`<div class="section">
      <h3>Backend</h3>
      ${
        this.writable
          ? html`<a
              class="button"
              href=${linkTo({ screen: 'models', rest: [id, isAttached ? 'flow' : 'attach'] })}
              ><gw-icon name=${isAttached ? 'gauge' : 'plug'}></gw-icon>${
                isAttached ? 'Flow control' : 'Attach'
              }</a
            >`
          : nothing
      }
      ${
        this.writable && isAttached
          ? html`<button
              type="button"
              @click=${() => this.dispatchEvent(new CustomEvent('gw-detach'))}
            >
              Detach
            </button>`
          : nothing
      }
    </div>`;
  }

  #backend(backend: Backend) {
    const { health } = this.model;
    const isGated = backend.admission_max_concurrent !== null;
    return html`<dl>
      <dt>Health</dt>
      <dd><gw-badge tone=${health.tone}>${health.word}</gw-badge></dd>
      <dt>Provider</dt>
      <dd>
        <a href=${linkTo({ screen: 'providers', rest: [backend.provider_id] })}
          >${backend.provider_name}</a
        >
      </dd>
      <dt>${fieldLabels.upstream_model}</dt>
      <dd><code>${backend.upstream_model}</code></dd>
      <dt>Address</dt>
      <dd><code>${backend.api_base}</code>, ${backend.protocol}</dd>
      <dt>Credential</dt>
      <dd>${backend.has_upstream_api_key ? `set, ${backend.credential_kind}` : 'none'}</dd>
      <dt>${fieldLabels.admission_max_concurrent}</dt>
      <dd>${or(backend.admission_max_concurrent, 'unlimited')}</dd>
      ${
        isGated
          ? html`<dt>${fieldLabels.admission_high_water}</dt>
              <dd>${or(backend.admission_high_water, '4, the default')}</dd>
              <dt>${fieldLabels.admission_max_queued}</dt>
              <dd>${or(backend.admission_max_queued, `${queuedDefault}, the default`)}</dd>
              <dt>${fieldLabels.admission_max_wait_seconds}</dt>
              <dd>${or(backend.admission_max_wait_seconds, '30 s, the default', ' s')}</dd>`
          : nothing
      }
      <dt>Timeout</dt>
      <dd>${or(backend.upstream_timeout_seconds, 'gateway default', ' s')}</dd>
      <dt>${fieldLabels.default_max_tokens}</dt>
      <dd>${or(backend.default_max_tokens, 'not set', ' tokens')}</dd>
    </dl>`;
  }

  #uses() {
    const { use, isFallback } = this.model;
    const isUsed = use.frontendModels.length > 0 || use.pools.length > 0 || isFallback;
    return html`<div class="section"><h3>Used by</h3></div>
      ${
        isUsed
          ? html`<ul class="rows">
              ${use.frontendModels.map(
                ({ id, name }) =>
                  html`<li>
                    <a href=${linkTo({ screen: 'frontend-models', rest: [id] })}>${name}</a
                    ><span class="quiet end">frontend model</span>
                  </li>`,
              )}
              ${use.pools.map(
                ({ id, name }) =>
                  html`<li>
                    <a href=${linkTo({ screen: 'frontend-models', rest: ['pools', id] })}>${name}</a
                    ><span class="quiet end">pool</span>
                  </li>`,
              )}
              ${isFallback ? html`<li>Every chain, as the fallback model</li>` : nothing}
            </ul>`
          : html`<p class="quiet">
              No frontend model and no pool comes to it. It is called by its own name alone.
            </p>`
      }`;
  }
}

customElements.define('gw-model-record', GwModelRecord);
