// Tests the rules for the data of the provider catalogue.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  findCatalogueEntry,
  placeholderIn,
  providerCatalogue,
  vendorEntries,
} from '../../../src/snapshot/provider-catalogue.ts';

it('has at least fifty entries with unique keys, sorted by display name', () => {
  const names = providerCatalogue.map(({ display_name: name }) => name.toLowerCase());
  assert.ok(providerCatalogue.length >= 50);
  assert.equal(new Set(providerCatalogue.map(({ key }) => key)).size, providerCatalogue.length);
  assert.deepEqual(
    names,
    names.toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

it('has http URLs without a trailing slash once placeholders are filled in', () => {
  for (const { base_url: url } of providerCatalogue) {
    const filled = url.replace(/<[^<>]+>/g, 'x');
    assert.match(new URL(filled).protocol, /^https?:$/);
    assert.doesNotMatch(url, /\/$/);
  }
});

it('finds a placeholder by name', () => {
  assert.equal(placeholderIn('https://<resource>.example/v1'), '<resource>');
  assert.equal(placeholderIn('https://api.example/v1'), null);
});

it('finds an entry by its key', () => {
  assert.equal(findCatalogueEntry('openai')?.base_url, 'https://api.openai.com/v1');
  assert.equal(findCatalogueEntry('no such provider'), null);
});

it('has no two vendors with the same prefix in configuration files', () => {
  const prefixes = vendorEntries.flatMap(({ file }) => file?.prefixes ?? []);
  assert.ok(prefixes.length >= 25);
  assert.equal(new Set(prefixes).size, prefixes.length);
});
