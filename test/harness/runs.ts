// How often the properties of the long suite are tried: a few times with every run of the tests, GW_TEST_RUNS times in
// `npm run test:soak`.

const given = process.env['GW_TEST_RUNS'];

/** For fast-check. A failure prints the seed and the path that make it again. */
export const runs = (standard: number): { numRuns: number } => ({
  numRuns: given === undefined ? standard : Number(given),
});
