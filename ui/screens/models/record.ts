// One model: its price and sizes, the backend that serves it with its flow control, and what comes to it.

import { html, nothing } from 'lit';

import { element, flag, given } from '../../elements/element.ts';
import {
  backendFields,
  flowFields,
  informationFields,
  priceFields,
} from '../../../src/fields/model.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/icon.ts';
import '../../elements/money.ts';
import { fieldLabels } from '../../lib/text/field-label.ts';
import { fieldFacts } from '../../parts/field-value.ts';
import { factRow } from '../../parts/facts.ts';
import { pairs } from '../../lib/saves/entity-fields.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { ModelRow } from './load.ts';

type Backend = NonNullable<ModelRow['backend']>;

/** What is shown while flow control is off. */
const { admission_max_concurrent, upstream_timeout_seconds } = flowFields;
const ungated = { admission_max_concurrent, upstream_timeout_seconds };

/** Tells by `gw-detach`. */
class GwModelRecord extends element({
  model: given<ModelRow>(),
  writable: flag(),
}) {
  static override styles = [base, buttons, record];

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
        ${pairs(priceFields).map(([name, { label }]) => factRow([label, this.#price(model[name])]))}
        ${fieldFacts(informationFields, model)}
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
      ${fieldFacts(isGated ? flowFields : ungated, backend)}
      ${fieldFacts({ default_max_tokens: backendFields.default_max_tokens }, backend)}
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
