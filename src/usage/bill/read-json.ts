// Reads the answers of the cost APIs of OpenAI (GET /v1/organization/costs) and Anthropic
// (GET /v1/organizations/cost_report): one page, or a list of pages.

import { z } from 'zod';

import { plainly, problemText } from '../../lib/plain-issue.ts';
import { dayOf, lastDayOf, readAmount, readTime } from './line.ts';
import type { BillLine, BillProblem } from './line.ts';
import type { BillRead } from './read-csv.ts';

const openaiResult = z.object({
  amount: z.object({ value: z.union([z.number(), z.string()]), currency: z.string() }),
  line_item: z.string().nullish(),
});

/** The amount is in the smallest unit of the currency, as decimal text. */
const anthropicResult = z.object({
  amount: z.string(),
  currency: z.string(),
  model: z.string().nullish(),
  description: z.string().nullish(),
});

const bucket = z.object({
  start_time: z.union([z.number(), z.string()]).optional(),
  end_time: z.union([z.number(), z.string()]).optional(),
  starting_at: z.string().optional(),
  ending_at: z.string().optional(),
  results: z.array(z.unknown()),
});
const page = z.object({ data: z.array(bucket), has_more: z.boolean().optional() });
const pages = z.union([page.transform((one) => [one]), z.array(page)]);

/** Cents are hundredths. */
const centsPerUnit = 100n;

export function readJsonBill(value: unknown): BillRead {
  const read = pages.safeParse(value, plainly);
  if (!read.success) {
    const message = `the file is not an answer of a cost API: ${problemText(read.error)}`;
    return {
      format: 'unknown',
      lines: [],
      problems: [{ place: 'file', message }],
      skippedLines: 0,
    };
  }
  const buckets = read.data.flatMap(({ data }) => data);
  const format = buckets.some(({ starting_at: at }) => at !== undefined)
    ? 'anthropic-costs'
    : 'openai-costs';
  const lines: BillLine[] = [];
  const problems: BillProblem[] = [];
  for (const [at, one] of buckets.entries()) {
    for (const [index, result] of one.results.entries()) {
      const found = readResult(one, result, `data[${at}].results[${index}]`);
      if ('message' in found) problems.push(found);
      else lines.push(found);
    }
  }
  if (read.data.at(-1)?.has_more === true) {
    problems.push({ place: 'file', message: 'has_more is true: the last page is missing' });
  }
  return { format, lines, problems, skippedLines: 0 };
}

function readResult(
  held: z.output<typeof bucket>,
  given: unknown,
  place: string,
): BillLine | BillProblem {
  const isAnthropic = held.starting_at !== undefined;
  const startMs = readTime(String(held.starting_at ?? held.start_time));
  const endMs = readTime(String(held.ending_at ?? held.end_time ?? ''));
  if (startMs === null) return { place, message: 'the start of the bucket is not a time' };
  const days = { day: dayOf(startMs), lastDay: lastDayOf(startMs, endMs ?? startMs) };
  const read = isAnthropic ? anthropicLine(given) : openaiLine(given);
  if (typeof read === 'string') return { place, message: read };
  return { ...days, ...read, currency: read.currency.toUpperCase(), tokens: null };
}

type Charged = Pick<BillLine, 'model' | 'currency' | 'picos'>;

/** The text is what is wrong. */
function openaiLine(given: unknown): Charged | string {
  const { data, error } = openaiResult.safeParse(given, plainly);
  if (error !== undefined) return problemText(error);
  const picos = readAmount(String(data.amount.value));
  if (picos === null) return `amount.value must be a number, was ${data.amount.value}`;
  const model = data.line_item?.split(',')[0]?.trim() ?? null;
  return { model, currency: data.amount.currency, picos };
}

function anthropicLine(given: unknown): Charged | string {
  const { data, error } = anthropicResult.safeParse(given, plainly);
  if (error !== undefined) return problemText(error);
  const picos = readAmount(data.amount);
  if (picos === null) return `amount must be a number, was ${data.amount}`;
  const { model, description, currency } = data;
  return { model: model ?? description ?? null, currency, picos: picos / centsPerUnit };
}
