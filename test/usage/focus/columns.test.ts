// Tests the columns of the FOCUS export.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import { focusHead, focusLine } from '../../../src/usage/focus/columns.ts';
import type { Charge } from '../../../src/usage/focus/charge.ts';
import { focusRows } from '../../harness/focus/rows.ts';
import type { FocusRow } from '../../harness/focus/rows.ts';

const charge: Charge = {
  usage: {
    hour: new Date('2026-12-31T23:00:00Z'),
    principalId: 3,
    principal: '=cmd|calc',
    provider: 'openai',
    model: 'gpt-5',
    modelId: null,
    tag: 'team "a"',
    currency: 'EUR',
    priceVersion: 2,
    serviceTier: 'flex',
    requests: 4n,
    unpricedRequests: 0n,
    tierTokens: 250,
    promptTokens: 1_000n,
    completionTokens: 200n,
    parts: membersOf(
      tokenParts.map(({ name }) => name),
      null,
    ),
    toolCalls: {},
    units: {},
    costMicros: 3_000_001n,
    isCorrection: false,
  },
  dimension: 'input',
  label: 'Input',
  unit: 'Tokens',
  quantity: 1_500_000n,
  costMicros: 3_000_001n,
};

const rowOf = (one: Charge): FocusRow => focusRows(focusHead + focusLine(one))[0] ?? {};

describe('a charge in FOCUS', () => {
  it('has its amounts as exact decimals and its times in UTC', () => {
    const row = rowOf(charge);
    assert.partialDeepStrictEqual(row, {
      BilledCost: '3.000001',
      EffectiveCost: '3.000001',
      BillingCurrency: 'EUR',
      ConsumedQuantity: '1500000.0',
      ConsumedUnit: 'Tokens',
      PricingQuantity: '1.5',
      PricingUnit: '1000000 Tokens',
      ListUnitPrice: '2.000000666666666667',
      ChargePeriodStart: '2026-12-31T23:00:00Z',
      ChargePeriodEnd: '2027-01-01T00:00:00Z',
      BillingPeriodStart: '2026-12-01T00:00:00Z',
      BillingPeriodEnd: '2027-01-01T00:00:00Z',
      SkuId: 'openai/gpt-5/input',
      SkuPriceId: 'openai/gpt-5/input@2',
      SkuPriceDetails: '{"x_ServiceTier":"flex"}',
      Tags: '{"tag":"team \\"a\\""}',
      ChargeClass: '',
    });
  });

  it('shows a name that looks like a formula as text', () => {
    assert.ok(focusLine(charge).includes(",'=cmd|calc,"));
  });

  it('has no cost and no unit price without a price', () => {
    const { BilledCost, ListCost, ListUnitPrice } = rowOf({ ...charge, costMicros: null });
    assert.deepEqual([BilledCost, ListCost, ListUnitPrice], ['', '', '']);
  });

  it('that corrects an earlier one has the class Correction and no quantity', () => {
    const usage = { ...charge.usage, isCorrection: true };
    const row = rowOf({ ...charge, usage, quantity: 0n, costMicros: -5n });
    const { ChargeClass, BilledCost, PricingQuantity, ConsumedQuantity, ListUnitPrice } = row;
    assert.deepEqual([ChargeClass, BilledCost], ['Correction', '-0.000005']);
    assert.deepEqual([PricingQuantity, ConsumedQuantity, ListUnitPrice], ['', '', '']);
  });
});
