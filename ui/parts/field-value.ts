// Draws the values of plain fields in records and lists.

import { html } from 'lit';

import type { Field, Fields, Values } from '../../src/fields/field.ts';
import { cardTexts } from '../lib/providers/price-card.ts';
import { pairs, unsetText, withUnit } from '../lib/saves/entity-fields.ts';
import { yesOrNo } from '../lib/saves/typed.ts';
import { factRow } from './facts.ts';

export const shownValue = (field: Field, value: number | boolean | object | null) => {
  if (value === null) return html`<span class="quiet">${unsetText(field)}</span>`;
  if (typeof value === 'object') {
    return html`<ul class="plain">
      ${cardTexts(value).map((line) => html`<li>${line}</li>`)}
    </ul>`;
  }
  return typeof value === 'boolean' ? yesOrNo(value) : withUnit(field, value);
};

export const fieldFacts = <F extends Fields>(fields: F, record: Values<F>) =>
  pairs(fields).map(([name, field]) => factRow([field.label, shownValue(field, record[name])]));
