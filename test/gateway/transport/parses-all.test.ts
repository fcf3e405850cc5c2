// What is held of connections, requests and bodies where most requests are read by the gateway, with Node's parser reading all.

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
