// Tests the diff of a save, and the request of a provider form.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { changesBetween } from '../../../../ui/lib/saves/change.ts';
import { fieldValue } from '../../../../ui/lib/text/field-value.ts';
import { priceDifference } from '../../../../ui/lib/providers/price-difference.ts';
import { shownCredential } from '../../../../ui/lib/providers/credential-draft.ts';
import {
  blankDraft,
  providerChange,
  providerBody,
  fromProvider,
} from '../../../../ui/lib/providers/provider-draft.ts';

it('an omitted field is unchanged', () => {
  assert.deepEqual(changesBetween({ name: 'a', limit: 5 }, { name: 'b' }), [
    { field: 'name', kind: 'changed', before: 'a', after: 'b' },
  ]);
});

it('null removes a value, and a value sets an unset field', () => {
  const changes = changesBetween({ ttl: 5, note: null }, { ttl: null, note: 'x' });
  assert.deepEqual(
    changes.map(({ field, kind }) => [field, kind]),
    [
      ['ttl', 'removed'],
      ['note', 'added'],
    ],
  );
});

it('names a position in a list', () => {
  const [change] = changesBetween(
    { rules: [{ id: 1, tag: 'a' }] },
    { rules: [{ id: 1, tag: 'b' }] },
  );
  assert.deepEqual(change, { field: 'rules.0.tag', kind: 'changed', before: 'a', after: 'b' });
});

const provider = {
  name: 'engine',
  catalogue_key: null,
  api_base: 'https://engine.example/v1',
  protocol: 'openai',
  auth_header: 'authorization',
  auth_scheme: 'Bearer',
  credential_kind: 'static',
  has_upstream_api_key: true,
} as const;

it('an untouched form sends nothing', () => {
  assert.deepEqual(providerChange(fromProvider(provider), provider), {});
});

it('a credential is kept, set or cleared by an explicit choice', () => {
  const draft = fromProvider(provider);
  assert.deepEqual(providerChange({ ...draft, credential: 'clear' }, provider), {
    upstream_api_key: null,
  });
  assert.deepEqual(
    providerChange({ ...draft, credential: 'set', upstream_api_key: 'sk' }, provider),
    {
      upstream_api_key: 'sk',
    },
  );
  const moved = { ...draft, api_base: 'https://elsewhere.example/v1' };
  assert.deepEqual(providerChange(moved, provider), {
    api_base: 'https://elsewhere.example/v1',
    keep_credential: true,
  });
});

it('sends an empty scheme as an empty value, and omits a missing key', () => {
  const body = providerBody({ ...blankDraft, api_base: ' https://a.example/v1 ', auth_scheme: '' });
  assert.deepEqual(body, {
    api_base: 'https://a.example/v1',
    protocol: 'openai',
    auth_header: 'authorization',
    auth_scheme: null,
  });
});

it('the diff never contains a key', () => {
  assert.deepEqual(shownCredential({ name: 'a', upstream_api_key: 'sk-secret' }), {
    name: 'a',
    credential: 'new',
  });
});

it('a price sync is shown price by price, below the name of each model', () => {
  const one = {
    model: 'gpt-4.1',
    old_input_price_per_mtok: null,
    input_price_per_mtok: 2_000_000,
  };
  const output = { old_output_price_per_mtok: 8_000_000, output_price_per_mtok: 8_000_000 };
  const { before, after } = priceDifference([{ ...one, ...output, card_changes: [] }]);
  const [change, ...others] = changesBetween(before, after);
  assert.deepEqual(others, []);
  assert.equal(change?.field, 'gpt-4.1.input_price_per_mtok');
  assert.equal(fieldValue(change.field, change.before), 'unpriced');
  assert.match(fieldValue(change.field, change.after), /2.* per million tokens/);
});
