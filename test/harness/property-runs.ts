// Decides how often a property of the long suite runs: a few times in `npm test`, GW_TEST_RUNS
// times in `npm run test:soak`.

const given = process.env['GW_TEST_RUNS'];

/** Options for fast-check. A failure prints the seed and path that reproduce it. */
export const runs = (standard: number): { numRuns: number } => ({
  numRuns: given === undefined ? standard : Number(given),
});
