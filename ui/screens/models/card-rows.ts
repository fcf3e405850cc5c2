// Draws the fields of a price card in the form of a model.

import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';

import { fallbackPrices } from '../../../src/usage/price-names.ts';
import '../../elements/icon.ts';
import { orNone } from '../../lib/page/choices.ts';
import { cardParts, withRow, withoutTexts } from '../../lib/providers/card-draft.ts';
import type { CardField, CardRow, CardRows } from '../../lib/providers/card-draft.ts';
import type { ModelDraft } from '../../lib/providers/model-draft.ts';
import { formRows } from '../../parts/form-rows.ts';
import type { FormField } from '../../parts/form-rows.ts';

const text = {
  tokens: (currency: string) =>
    `In ${currency} per million tokens, unless the name says otherwise. Leave everything empty to bill all tokens at the two prices above.`,
  missing: 'A request that used tokens of a kind without a price is unpriced.',
  fallbacks: 'Substitute prices',
  fallbacksAbout: 'The price to use for a kind of tokens that has none.',
  unpriced: 'None: unpriced',
  clear: 'Remove all prices of this section',
};

type Kind = Readonly<{
  key: 'tool_calls' | 'service_tiers' | 'context_tiers';
  noun: string;
  add: string;
  /** The key of the first field. */
  first: string;
  about: string;
}>;

const contextTier: Kind = {
  key: 'context_tiers',
  noun: 'Context tier',
  add: 'Context tier',
  first: 'above_tokens',
  about: 'Replaces all prices if the prompt has more tokens. Prices left empty are unknown.',
};
const kinds: readonly Kind[] = [
  {
    key: 'tool_calls',
    noun: 'Tool',
    add: 'Tool price',
    first: 'name',
    about: 'The price of each call of a tool that the provider runs, such as web_search.',
  },
  {
    key: 'service_tiers',
    noun: 'Service tier',
    add: 'Service tier',
    first: 'name',
    about:
      'A tier such as batch or flex has either a percentage or prices of its own. With hours, such ' +
      'as 1-5 16:30-24:00 from Monday to Friday, it also applies to ordinary requests then.',
  },
  contextTier,
];

type Change = (draft: ModelDraft) => void;
type Form = Readonly<{ draft: ModelDraft; change: Change }>;

/** `card` is the field of the model. */
export function cardRows(
  draft: ModelDraft,
  card: Readonly<{ name: string; label: string }>,
  change: Change,
): TemplateResult {
  const parts = cardParts(draft, card.name);
  const form = { draft, change };
  const currency = draft[`${card.name}.currency`]?.trim() ?? '';
  const isSet = Object.entries(draft).some(
    ([key, value]) => key.startsWith(`${card.name}.`) && value !== '',
  );
  return html`<fieldset>
    <legend>${card.label}</legend>
    <p class="quiet">${text.tokens(currency === '' ? 'US dollars' : currency)} ${text.missing}</p>
    ${fieldsOf(parts.prices, draft)} ${fieldsOf(parts.facts, draft)}
    ${kinds.map((kind) => groups(form, kind, parts[kind.key]))}
    ${substitutes(draft, parts.fallbacks)}
    <div class="offered">
      ${kinds.map((kind) => adder(form, kind, parts[kind.key]))}
      ${
        isSet
          ? html`<button
              type="button"
              class="plain"
              @click=${() => change(withoutTexts(draft, card.name))}
            >
              <gw-icon name="x"></gw-icon>${text.clear}
            </button>`
          : nothing
      }
    </div>
  </fieldset>`;
}

const hints: Partial<Record<string, string>> = {
  currency: 'ISO 4217. Empty: USD. Also applies to the two prices above',
  effective_from: 'In UTC, such as 2026-12-01 00:00. Empty: when you save',
};

const fieldsOf = (fields: readonly CardField[], draft: ModelDraft) =>
  formRows([{ pair: fields.map(formField) }], draft);

const formField = ({ key, name, member, label, type }: CardField): FormField<ModelDraft> => {
  const hint = hints[key];
  return {
    name,
    member,
    label,
    unmarked: true,
    mono: type === 'name' || type === 'time',
    ...(hint === undefined ? {} : { hint }),
  };
};

function substitutes(draft: ModelDraft, fields: readonly CardField[]) {
  const isOpen = fields.some(({ member }) => (draft[member] ?? '') !== '');
  const choices = (own: string) =>
    orNone(
      text.unpriced,
      fallbackPrices
        .filter(({ name }) => name !== own)
        .map(({ name, label }) => ({ value: name, label })),
    );
  const selects = fields.map((field) => ({
    ...formField(field),
    type: 'select' as const,
    choices: choices(field.key),
  }));
  return html`<details ?open=${isOpen}>
    <summary>${text.fallbacks}</summary>
    <p class="quiet">${text.fallbacksAbout}</p>
    ${formRows([{ pair: selects }], draft)}
  </details>`;
}

const groups = (form: Form, kind: Kind, { rows }: CardRows): unknown =>
  rows.length === 0
    ? nothing
    : html`<p class="quiet">${kind.about}</p>
        ${rows.map((row, at) => group(form, { row, label: `${kind.noun} ${at + 1}` }))}`;

function group(form: Form, { row, label }: Readonly<{ row: CardRow; label: string }>) {
  const { draft, change } = form;
  const { tiers } = row;
  return html`<div class="group" role="group" aria-label=${label}>
    <div class="of">
      ${fieldsOf(row.fields, draft)}
      ${
        tiers.member === ''
          ? nothing
          : html`${groups(form, contextTier, tiers)}
              <div class="offered">${adder(form, contextTier, tiers)}</div>`
      }
    </div>
    <button
      type="button"
      class="plain icon"
      aria-label="Remove ${label}"
      title="Remove"
      @click=${() => change(withoutTexts(draft, row.member))}
    >
      <gw-icon name="x"></gw-icon>
    </button>
  </div>`;
}

const adder = ({ draft, change }: Form, { add, first }: Kind, rows: CardRows) =>
  html`<button type="button" class="plain" @click=${() => change(withRow(draft, rows, first))}>
    <gw-icon name="plus"></gw-icon>${add}
  </button>`;
