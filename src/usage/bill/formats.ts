// Lists the CSV formats of bills: the columns that providers publish for their exports.

export const csvFormatNames = [
  'openai-costs',
  'anthropic-costs',
  'focus',
  'google-costs',
  'generic',
] as const;
export type CsvFormatName = (typeof csvFormatNames)[number];

/** Patterns of column names, best first. They are matched without regard to case. */
type Columns = readonly RegExp[];

export const billFields = ['date', 'end', 'model', 'amount', 'currency', 'tokens', 'unit'] as const;
export type BillField = (typeof billFields)[number];

export type CsvFormat = Readonly<{
  name: CsvFormatName;
  /** The columns of a line. `date` and `amount` are required. Tokens of another `unit` are ignored. */
  columns: Readonly<Record<BillField, Columns>>;
  /** Other columns that a file of this format has, to recognise it. */
  marks: Columns;
  /** True if `end` is the last day of the line, false if it is the time after it. */
  isEndIncluded: boolean;
  /** The model in a cell of `model`. */
  modelIn: (cell: string) => string;
}>;

const unchanged = (cell: string): string => cell;

export const csvFormats: readonly CsvFormat[] = [
  {
    // The export of the page Usage > Costs.
    name: 'openai-costs',
    columns: {
      date: [/^start_time_iso$/, /^start_time$/],
      end: [/^end_time_iso$/, /^end_time$/],
      model: [/^line_item$/],
      amount: [/^amount_value$/],
      currency: [/^amount_currency$/],
      tokens: [/^quantity$/],
      unit: [/^quantity_unit$/],
    },
    marks: [/^line_item$/],
    isEndIncluded: false,
    // For example `gpt-5-nano, input_tokens`.
    modelIn: (cell) => cell.split(',')[0]?.trim() ?? cell,
  },
  {
    // The export of the page Cost of the console.
    name: 'anthropic-costs',
    columns: {
      date: [/^usage_date_utc$/],
      end: [],
      model: [/^model$/],
      amount: [/^cost_usd$/],
      currency: [],
      tokens: [],
      unit: [],
    },
    marks: [],
    isEndIncluded: false,
    modelIn: unchanged,
  },
  {
    name: 'focus',
    columns: {
      date: [/^chargeperiodstart$/],
      end: [/^chargeperiodend$/],
      model: [/^resourcename$/, /^skumeter$/, /^chargedescription$/],
      amount: [/^billedcost$/],
      currency: [/^billingcurrency$/],
      tokens: [/^consumedquantity$/],
      unit: [/^consumedunit$/],
    },
    marks: [],
    isEndIncluded: false,
    modelIn: unchanged,
  },
  {
    // The cost table of Cloud Billing, whose columns name the currency, and the detailed export.
    name: 'google-costs',
    columns: {
      date: [/^usage start date$/, /^usage_start_time$/],
      end: [/^usage end date$/, /^usage_end_time$/],
      model: [/^sku description$/, /^sku[._]description$/],
      amount: [/^unrounded cost( \(.+\))?$/, /^cost( \(.+\))?$/],
      currency: [/^currency$/],
      tokens: [],
      unit: [],
    },
    marks: [/^sku[ ._]description$/],
    isEndIncluded: true,
    modelIn: unchanged,
  },
  {
    name: 'generic',
    columns: {
      date: [/^(?:usage_)?(?:date|day)$/],
      end: [],
      model: [/^model(?:_name)?$/],
      amount: [/^(?:amount|cost)(?:_usd)?$/],
      currency: [/^currency$/],
      tokens: [/^tokens$/],
      unit: [],
    },
    marks: [],
    isEndIncluded: true,
    modelIn: unchanged,
  },
];
