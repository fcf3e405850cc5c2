// Tests that the FOCUS validator of the FinOps Foundation accepts an export of a real ledger.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { foldUsage } from '../../../src/db/usage/usage-rollups.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';
import { exportText } from '../../harness/admin/focus.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { focusRows } from '../../harness/focus/rows.ts';
import { validateFocus } from '../../harness/focus/validator.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';

const hourMs = 3_600_000;
const start = Math.floor(Date.now() / hourMs - 30) * hourMs;
const at = (hours: number): string => new Date(start + hours * hourMs + 60_000).toISOString();

/**
 * The two alternatives of rule InvoiceId-C-003-C: every row either has an invoice or has none. The
 * validator lists the alternative that does not apply.
 */
const otherAlternative = 'InvoiceId-C-005-C';

describe('an export of a ledger', () => {
  it('conforms to FOCUS 1.2', async (t) => {
    const started = await testAdministrator(t);
    const price_card = {
      cache_read: 300_000,
      reasoning: 20_000_000,
      per_request: 5,
      tool_calls: { web_search: 10_000 },
      service_tiers: { flex: { percent: 50 } },
    };
    const base = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
    const price = { ...base, price_card };
    await started.send('POST', '/admin/models', { name: 'small', ...price });
    await started.send('POST', '/admin/models', { name: 'free of price' });
    const events = [
      reported(1, { at: at(0), cache_read_tokens: 100, service_tier: 'flex' }),
      reported(2, { at: at(1), tag: '=research', server_tool_calls: { web_search: 3 } }),
      reported(3, { at: at(2), reasoning_tokens: 7, reported_cost_micros: 1_234_567 }),
      reported(4, { at: at(3), cached: true }),
      reported(5, { at: at(4), model_id: 2 }),
      reported(6, { at: at(5), prompt_tokens: 1, completion_tokens: 0 }),
      reported(7, { at: at(6), cache_read_tokens: 900, service_tier: 'flex' }),
    ];
    await reportUsage(started, events);
    const { db } = started.plane;
    const settled = new Date(Date.now() + hourMs);
    await foldUsage(db, { horizon: new Date(start + hourMs), settled, limit: 10 });
    await db.query(sql`insert into op.usage_reprices (id, started_at, heard_at, applied_at)
      values (1, now(), now(), now())`);
    await db.query(sql`insert into op.usage_corrections
        (usage_id, at, reprice_id, currency, delta_micros, cost_micros, price_version)
      select id, at, 1, 'USD', -5, 1, 2 from op.usage_events where id = ${events[1]?.id}`);

    const range = `since=${new Date(start).toISOString()}`;
    const directory = await temporaryDirectory(t);
    const validated = async (query: string) => {
      const text = await exportText(started, `${range}&${query}`);
      const file = path.join(directory, 'focus.csv');
      await writeFile(file, text);
      return { rows: focusRows(text), ...(await validateFocus(file)) };
    };
    const priced = await validated('unpriced=omit');
    assert.equal(priced.rows.length, 14);
    assert.deepEqual(priced.failed, [otherAlternative]);
    assert.ok(priced.passed.includes('InvoiceId-C-003-C'));
    assert.ok(priced.passed.length > 250, String(priced.passed.length));

    // Costs that are null are the only difference from the specification.
    const whole = await validated('unpriced=null');
    assert.equal(whole.rows.length, 16);
    const rules = whole.failed.map((name) => name.split('-')[0]);
    const costs = ['BilledCost', 'ContractedCost', 'EffectiveCost', 'InvoiceId', 'ListCost'];
    assert.deepEqual([...new Set(rules)], [...costs, 'PricingCurrencyEffectiveCost']);
  });
});
