// Replays a directory of recorded traffic through the gateway and prints what became of each answer:
// `npm run test:recorded -- DIR`. Exits 1 when one differs from what its recording says.

import { readRecordings } from './recordings.ts';
import { replay } from './replay.ts';
import type { Outcome } from './replay.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('npm run test:recorded -- DIR');
  process.exit(2);
}

const outcomes = await replay(readRecordings(directory));
const verdictOf = ({ problems }: Outcome): string =>
  problems === null ? 'left out' : problems.length === 0 ? 'equal' : problems.join('; ');

for (const outcome of outcomes) {
  const { vendor, id, kind, bytes } = outcome;
  const cells = [vendor.padEnd(9), id.padEnd(40), kind.padEnd(9), String(bytes).padStart(8)];
  console.log(`${cells.join('  ')}  ${verdictOf(outcome)}`);
}
const differing = outcomes.filter(({ problems }) => problems !== null && problems.length > 0);
const leftOut = outcomes.filter(({ problems }) => problems === null);
const equal = outcomes.length - differing.length - leftOut.length;
console.log(`${equal} equal, ${differing.length} differing, ${leftOut.length} left out`);
if (differing.length > 0) process.exitCode = 1;
