// Says how often a property of the long suite is tried: a few times in `npm test`, GW_TEST_RUNS times in `npm run test:soak`.

const given = process.env['GW_TEST_RUNS'];

/** For fast-check. A failure prints the seed and the path that make it again. */
export const runs = (standard: number): { numRuns: number } => ({
  numRuns: given === undefined ? standard : Number(given),
});
