// Tests that bills are read in the formats that providers publish.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isRefusal } from '../../../src/lib/refusal.ts';
import { readBill } from '../../../src/usage/bill/read-bill.ts';

const options = { format: null, columns: {}, currency: 'USD', by: 'day' } as const;

type Options = Parameters<typeof readBill>[1];

function shown(text: string, change: Partial<Options> = {}) {
  const bill = readBill(text, { ...options, ...change });
  if (isRefusal(bill)) return bill.message;
  const lines = bill.lines.map(({ day, model, currency, picos, tokens }) => [
    day,
    model,
    currency,
    picos,
    tokens,
  ]);
  return { format: bill.format, skipped: bill.skippedLines, lines };
}

function messageOf(...given: Parameters<typeof shown>): string {
  const refusal = shown(...given);
  assert.ok(typeof refusal === 'string');
  return refusal;
}

const csv = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('a bill', () => {
  it('of OpenAI is read from the export of costs', () => {
    const text = csv(
      'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,quantity,quantity_unit,line_item,project_id',
      '1790467200,1790553600,2026-09-27T00:00:00+00:00,2026-09-28T00:00:00+00:00,,,,,,',
      '1790553600,1790640000,2026-09-28T00:00:00,2026-09-29T00:00:00,0.003835980000000000000000000000,usd,,,,',
      '1790553600,1790640000,2026-09-28T00:00:00,2026-09-29T00:00:00,0.5,usd,1000,tokens,"gpt-5-nano, input_tokens",proj_a',
    );
    assert.deepEqual(shown(text), {
      format: 'openai-costs',
      skipped: 1,
      lines: [
        ['2026-09-28', null, 'USD', 3_835_980_000n, null],
        ['2026-09-28', 'gpt-5-nano', 'USD', 500_000_000_000n, 1_000n],
      ],
    });
  });

  it('of OpenAI is read from answers of the costs API', () => {
    const amount = { value: 0.06, currency: 'usd' };
    const results = [{ object: 'organization.costs.result', amount, line_item: 'gpt-4o, output' }];
    const bucket = {
      object: 'bucket',
      start_time: 1_730_419_200,
      end_time: 1_730_505_600,
      results,
    };
    const text = JSON.stringify({ object: 'page', data: [bucket], has_more: false });
    const lines = [['2024-11-01', 'gpt-4o', 'USD', 60_000_000_000n, null]];
    assert.deepEqual(shown(text), { format: 'openai-costs', skipped: 0, lines });
    const unfinished = JSON.stringify([{ data: [bucket], has_more: true }]);
    assert.equal(shown(unfinished), 'content: file: has_more is true: the last page is missing');
  });

  it('of Anthropic is read from the export of costs', () => {
    const text = csv(
      'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type',
      '2026-08-04,Claude Haiku 4.5,Default,key,message,≤ 200k,input_no_cache,0.05,0.05,token',
    );
    const lines = [['2026-08-04', 'Claude Haiku 4.5', 'USD', 50_000_000_000n, null]];
    assert.deepEqual(shown(text), { format: 'anthropic-costs', skipped: 0, lines });
  });

  it('of Anthropic is read from the cost report, whose amounts are in cents', () => {
    const result = {
      amount: '123.45',
      currency: 'USD',
      model: 'claude-opus-4-5',
      description: 'x',
    };
    const days = { starting_at: '2026-08-04T00:00:00Z', ending_at: '2026-08-05T00:00:00Z' };
    const text = JSON.stringify({ data: [{ ...days, results: [result] }], has_more: false });
    const lines = [['2026-08-04', 'claude-opus-4-5', 'USD', 1_234_500_000_000n, null]];
    assert.deepEqual(shown(text), { format: 'anthropic-costs', skipped: 0, lines });
  });

  it('of Google is read from the cost table, after the lines about the invoice', () => {
    const text = csv(
      'Invoice number,1234567890,',
      'Currency,EUR,',
      'Service description,SKU description,Usage start date,Usage end date,Usage amount,Unrounded cost (€),Cost (€)',
      'Gemini API,Gemini 2.5 Pro Text Input,2026-06-01,2026-06-30,12,"1,234.567891",1234.57',
    );
    const lines = [
      ['2026-06-01', 'Gemini 2.5 Pro Text Input', 'EUR', 1_234_567_891_000_000n, null],
    ];
    assert.deepEqual(shown(text, { by: 'month' }), { format: 'google-costs', skipped: 0, lines });
    assert.equal(
      shown(text),
      'content: a line covers 2026-06-01 to 2026-06-30; export the bill by day, or compare by month',
    );
  });

  it('is read from named columns', () => {
    const text = csv('When,Day,SKU,EUR net,Count', 'a,2026-01-31,m-1,1.5,7');
    const columns = { date: 'Day', model: 'SKU', amount: 'EUR net', tokens: 'Count' };
    assert.deepEqual(shown(text, { columns, currency: 'EUR' }), {
      format: 'generic',
      skipped: 0,
      lines: [['2026-01-31', 'm-1', 'EUR', 1_500_000_000_000n, 7n]],
    });
  });

  it('with invalid lines is refused, and names each line', () => {
    const text = csv('date,model,amount', '2026-02-30,m,1', '2026-01-01,m,1 USD', '2026-01-01,m,2');
    assert.equal(
      shown(text),
      'content: line 2: date must be a date such as 2026-11-23, was "2026-02-30"; ' +
        'line 3: amount must be a decimal number, was "1 USD"',
    );
    const many = csv('date,amount', ...Array.from({ length: 12 }, () => 'x,1'));
    assert.match(messageOf(many), /line 11: .*; and 2 more$/);
  });

  it('without known columns, or without charges, is refused', () => {
    assert.match(
      messageOf(csv('a,b', '1,2')),
      /line 1: no line has the columns of a known format, found a, b;/,
    );
    assert.match(
      messageOf(csv('a,b'), { format: 'openai-costs' }),
      /the columns of the format openai-costs/,
    );
    assert.equal(shown(csv('date,amount')), 'content: has no charge');
    assert.equal(shown('{"data":'), 'content: file: the file is not valid JSON');
  });
});
