// Repeats the tests of connections, requests and bodies with Node's parser reading all requests.

process.env['GW_TEST_PARSES_ALL'] = '1';
for (const file of [
  './connections',
  '../faults',
  './listener',
  '../pages',
  '../body/request-bodies',
]) {
  await import(`${file}.test.ts`);
}
