// Draws the fields of a form from a table. A field shows the member of the draft with its name; `memberOf` finds the member to write.

import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';

import type { Fields } from '../../src/fields/field.ts';
import { choicesOf, orNone } from '../lib/page/choices.ts';
import { hintOf } from '../lib/saves/entity-fields.ts';
import { yesOrNo } from '../lib/saves/typed.ts';
import '../elements/form/field.ts';
import type { Choice } from '../elements/form/combobox.ts';
import type { FieldType } from '../elements/form/field.ts';
import '../elements/form/picks.ts';
import type { Option } from '../elements/form/picks.ts';
import '../elements/form/toggles.ts';

/**
 * `name` is the server's name of the field, which refusals use; `member` is the name in the draft,
 * if it differs.
 */
type Bound<Draft> =
  | Readonly<{ name: keyof Draft & string; member?: never }>
  | Readonly<{ name: string; member: keyof Draft & string }>;

type Control =
  | Readonly<{
      type?: FieldType;
      unmarked?: boolean;
      mono?: boolean;
      tall?: boolean;
      choices?: readonly Choice[];
    }>
  | Readonly<{ type: 'toggles'; choices: readonly Choice[] }>
  | Readonly<{ type: 'picks'; options: readonly Option[]; ordered?: boolean; weighted?: boolean }>;

/** A checkbox if the member of the draft is a boolean. */
export type FormField<Draft> = Bound<Draft> &
  Control &
  Readonly<{ label: string; hint?: string; placeholder?: string; required?: boolean }>;

/** Pairs stack on narrow pages; triples do not. */
type Beside<Draft> =
  | Readonly<{ pair: readonly FormField<Draft>[] }>
  | Readonly<{ three: readonly FormField<Draft>[] }>;

/** Null keeps the place of a field that is hidden now. */
export type FormRow<Draft> = FormField<Draft> | Beside<Draft> | TemplateResult | null;

/** Shared, so that fields do not render again. */
const noChoices: readonly Choice[] = [];

export const formRows = <Draft extends object>(rows: readonly FormRow<Draft>[], draft: Draft) =>
  rows.map((row) => {
    if (row === null) return nothing;
    if ('label' in row) return formField(row, draft);
    if ('pair' in row) return html`<div class="pair">${formFields(row.pair, draft)}</div>`;
    if ('three' in row) return html`<div class="three">${formFields(row.three, draft)}</div>`;
    return row;
  });

const formFields = <Draft extends object>(fields: readonly FormField<Draft>[], draft: Draft) =>
  fields.map((field) => formField(field, draft));

function formField<Draft extends object>(field: FormField<Draft>, draft: Draft) {
  const { name, label, hint = '', placeholder = '', required = false } = field;
  const value: unknown = Reflect.get(draft, field.member ?? name);
  if (field.type === 'picks') {
    return html`<gw-picks
      name=${name}
      label=${label}
      hint=${hint}
      placeholder=${placeholder}
      ?required=${required}
      ?ordered=${field.ordered}
      ?weighted=${field.weighted}
      .options=${field.options}
      .value=${value}
    ></gw-picks>`;
  }
  if (field.type === 'toggles') {
    return html`<gw-toggles
      name=${name}
      label=${label}
      hint=${hint}
      ?required=${required}
      .choices=${field.choices}
      .value=${value}
    ></gw-toggles>`;
  }
  return html`<gw-field
    class=${field.tall === true ? 'tall' : ''}
    name=${name}
    label=${label}
    type=${field.type ?? 'text'}
    hint=${hint}
    placeholder=${placeholder}
    ?required=${required}
    ?unmarked=${field.unmarked}
    ?mono=${field.mono}
    .choices=${field.choices ?? noChoices}
    .value=${typeof value === 'string' ? value : ''}
    .checked=${value === true}
  ></gw-field>`;
}

const flagChoices = orNone('Not set', choicesOf([yesOrNo(true), yesOrNo(false)]));

/** A field of several texts has rows of its own. */
export function fieldRows<F extends Fields>(
  fields: F,
): readonly FormRow<Record<keyof F & string, string>>[];
export function fieldRows(fields: Fields): readonly FormRow<Record<string, string>>[] {
  const plain = Object.entries(fields).filter(([, { type }]) => type !== 'rates');
  const shown = plain.map(([name, field]) => ({
    name,
    label: field.label,
    hint: hintOf(field),
    type: field.type === 'flag' ? ('select' as const) : ('text' as const),
    choices: field.type === 'flag' ? flagChoices : noChoices,
  }));
  return shown.flatMap((_, at) => (at % 2 === 0 ? [{ pair: shown.slice(at, at + 2) }] : []));
}

export function memberOf<Draft>(rows: readonly FormRow<Draft>[], name: string): string {
  const fields = rows.flatMap((row) => {
    if (row === null) return [];
    if ('label' in row) return [row];
    if ('pair' in row) return row.pair;
    return 'three' in row ? row.three : [];
  });
  return fields.find((field) => field.name === name)?.member ?? name;
}
