// Draws one model: its prices, its backend with flow control, and what uses it.

import { html, nothing } from 'lit';

import {
  backendFields,
  flowFields,
  informationFields,
  priceFields,
} from '../../../src/fields/model.ts';
import '../../elements/badge.ts';
import '../../elements/money.ts';
import { currencyOf } from '../../lib/providers/price-card.ts';
import { fieldLabels } from '../../lib/text/field-label.ts';
import { fieldFacts } from '../../parts/field-value.ts';
import { copied, facts, factRow, idFact } from '../../parts/facts.ts';
import type { RecordScreen } from '../../parts/record-screen.ts';
import { pairs } from '../../lib/saves/entity-fields.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo } from '../../state/location.ts';
import type { ModelRow } from './load.ts';
import { detachSave } from './saves.ts';

type Backend = NonNullable<ModelRow['backend']>;

/** Shown while flow control is off. */
const { admission_max_concurrent, upstream_timeout_seconds } = flowFields;
const ungated = { admission_max_concurrent, upstream_timeout_seconds };

export function modelRecord(model: ModelRow, at: RecordScreen) {
  const { id, name, description, backend } = model;
  return html`${description === null ? nothing : html`<p class="notice">${description}</p>`}
    <dl>
      ${factRow(idFact(id))} ${factRow(['Name', copied(name, 'name', html`<code>${name}</code>`)])}
      ${pairs(priceFields).map(([field, { label }]) => factRow([label, priceOf(model, field)]))}
      ${fieldFacts(informationFields, model)}
      ${factRow(usageFact({ grouping: 'model', name, hasCharts: true, hasPrices: true }))}
    </dl>
    ${headOf(model, at)}
    ${
      backend === null
        ? html`<p class="quiet">Not attached to a provider. This model cannot receive requests.</p>`
        : backendOf(backend, model)
    }
    ${
      model.closed
        ? html`<p class="notice warn">
            Registered by an agent. The permission <code>model/*</code> does not cover it until you
            use it in a frontend model, pool or fallback. You can also grant
            <code>model/${name}</code>.
          </p>`
        : nothing
    }
    ${usesOf(model)}`;
}

const priceOf = (model: ModelRow, field: keyof typeof priceFields) =>
  html`<gw-money exact currency=${currencyOf(model.price_card)} .micros=${model[field]}></gw-money
    >${model[field] === null ? nothing : html` <span class="quiet">per million tokens</span>`}`;

function headOf(model: ModelRow, at: RecordScreen) {
  const isAttached = model.backend !== null;
  const part = isAttached ? 'flow' : 'attach';
  return html`<div class="section">
    <h3>Backend</h3>
    ${
      at.isWritable()
        ? html`<a class="button" href=${linkTo({ screen: 'models', rest: [model.id, part] })}
            ><gw-icon name=${isAttached ? 'gauge' : 'plug'}></gw-icon>${
              isAttached ? 'Flow control' : 'Attach'
            }</a
          >`
        : nothing
    }
    ${
      at.isWritable() && isAttached
        ? html`<button type="button" @click=${() => at.ask(detachSave(model))}>Detach</button>`
        : nothing
    }
  </div>`;
}

function backendOf(backend: Backend, { health }: ModelRow) {
  const { provider_id, provider_name, admission_max_concurrent: gate } = backend;
  const provider = linkTo({ screen: 'providers', rest: [provider_id] });
  const credential = backend.has_upstream_api_key ? `set, ${backend.credential_kind}` : 'none';
  return html`${facts([
      ['Health', html`<gw-badge tone=${health.tone}>${health.word}</gw-badge>`],
      ['Provider', html`<a href=${provider}>${provider_name}</a>`],
      [fieldLabels.upstream_model, html`<code>${backend.upstream_model}</code>`],
      ['Address', html`<code>${backend.api_base}</code>, ${backend.protocol}`],
      ['Credential', credential],
    ])}
    <dl>
      ${fieldFacts(gate === null ? ungated : flowFields, backend)}
      ${fieldFacts({ default_max_tokens: backendFields.default_max_tokens }, backend)}
    </dl>`;
}

function usesOf({ use, isFallback }: ModelRow) {
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
            ${isFallback ? html`<li>Global fallback model</li>` : nothing}
          </ul>`
        : html`<p class="quiet">
            No frontend model or pool uses this model. Clients can call it only by its own name.
          </p>`
    }`;
}
