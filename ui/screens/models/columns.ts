// Defines the columns of models. People who can edit models edit prices in the table.

import { html, nothing } from 'lit';

import { informationFields, priceFields } from '../../../src/fields/model.ts';
import '../../elements/badge.ts';
import '../../elements/money.ts';
import type { Column } from '../../elements/table/table.ts';
import { flowText } from '../../lib/providers/backend-draft.ts';
import { currencyOf } from '../../lib/providers/price-card.ts';
import { formatCount } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { shownValue } from '../../parts/field-value.ts';
import { pairs } from '../../lib/saves/entity-fields.ts';
import type { ModelRow } from './load.ts';
import './price.ts';

const none = (word: string) => html`<span class="quiet">${word}</span>`;

function fieldColumns(isWritable: boolean): readonly Column<ModelRow>[] {
  const prices = pairs(priceFields).map(([id, { label, column }]) => ({
    id,
    label: column,
    end: true,
    value: (model: ModelRow) => model[id],
    cell: (model: ModelRow) =>
      isWritable
        ? html`<gw-price
            label="${label.toLowerCase()} of ${model.name}"
            field=${id}
            currency=${currencyOf(model.price_card)}
            .model=${model.id}
            .micros=${model[id]}
          ></gw-price>`
        : html`<gw-money
            exact
            currency=${currencyOf(model.price_card)}
            .micros=${model[id]}
          ></gw-money>`,
  }));
  const others = pairs(informationFields).map(([id, field]) => ({
    id,
    label: field.column,
    end: true,
    value: (model: ModelRow) => sizeOf(model[id]),
    cell: (model: ModelRow) => shownValue(field, sizeOf(model[id])),
  }));
  return [...prices, ...others];
}

/** A column has no place for a price card: it shows how many prices the card has. */
const sizeOf = (value: number | boolean | object | null): number | boolean | null =>
  value !== null && typeof value === 'object' ? Object.keys(value).length : value;

const usedBy = ({ use: { frontendModels }, isFallback }: ModelRow): string =>
  [...frontendModels.map(({ name }) => name), ...(isFallback ? ['global fallback'] : [])].join(
    ', ',
  );

function usedByCell(model: ModelRow) {
  if (model.closed) return html`<gw-badge tone="warn">not reachable</gw-badge>`;
  const [first, ...more] = model.use.frontendModels;
  if (first === undefined) return model.isFallback ? 'global fallback' : none('nothing');
  const rest = more.length + (model.isFallback ? 1 : 0);
  return html`<a href=${linkTo({ screen: 'frontend-models', rest: [first.id] })}>${first.name}</a
    >${rest === 0 ? nothing : html` <span class="quiet">+ ${rest}</span>`}`;
}

const columns = (isWritable: boolean): readonly Column<ModelRow>[] => [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'provider',
    label: 'Provider',
    value: ({ provider_name }) => provider_name,
    cell: ({ provider_id, provider_name }) =>
      provider_id === null
        ? none('none')
        : html`<a href=${linkTo({ screen: 'providers', rest: [provider_id] })}
            >${provider_name}</a
          >`,
  },
  {
    id: 'health',
    label: 'Health',
    value: ({ health }) => health.word,
    cell: ({ health }) => html`<gw-badge tone=${health.tone}>${health.word}</gw-badge>`,
  },
  ...fieldColumns(isWritable),
  {
    id: 'flow',
    label: 'Flow control',
    value: ({ backend }) => (backend === null ? null : flowText(backend)),
    cell: ({ backend }) =>
      backend === null || backend.admission_max_concurrent === null
        ? none('off')
        : flowText(backend),
  },
  { id: 'used_by', label: 'Used by', value: usedBy, cell: usedByCell },
  {
    id: 'pools',
    label: 'Pools',
    spare: true,
    value: ({ use }) => use.pools.map(({ name }) => name).join(', '),
  },
  {
    id: 'upstream_model',
    label: 'Upstream name',
    spare: true,
    value: ({ backend }) => backend?.upstream_model ?? null,
  },
  {
    id: 'timeout',
    label: 'Timeout',
    spare: true,
    end: true,
    value: ({ backend }) => backend?.upstream_timeout_seconds ?? null,
  },
  { id: 'description', label: 'Description', spare: true, value: ({ description }) => description },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

export const readColumns = columns(false);
export const writeColumns = columns(true);

/** These lose their target when the model is deleted or detached. */
export const usesText = ({ use, isFallback }: ModelRow): readonly string[] => [
  ...(use.frontendModels.length === 0
    ? []
    : [
        `${formatCount(use.frontendModels.length, 'frontend model')}: ${use.frontendModels
          .slice(0, 20)
          .map(({ name }) => name)
          .join(', ')}`,
      ]),
  ...(use.pools.length === 0
    ? []
    : [
        `${formatCount(use.pools.length, 'pool')}: ${use.pools
          .slice(0, 20)
          .map(({ name }) => name)
          .join(', ')}`,
      ]),
  ...(isFallback ? ['global fallback model'] : []),
];
