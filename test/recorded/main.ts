// Replays a directory of recorded traffic through the gateway and prints the result for each
// response: `npm run test:recorded -- DIR`. Exits with 1 if one differs from its recording.

import { askAll } from './ask.ts';
import { readRecordings } from './recordings.ts';
import { replay } from './replay.ts';
import { tellAll } from './tell.ts';
import { countAll } from './usage-fields.ts';
import type { Outcome } from './replay.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('npm run test:recorded -- DIR');
  process.exit(2);
}

const recordings = readRecordings(directory);
const outcomes = [
  ...(await replay(recordings)),
  ...(await askAll(recordings)),
  ...(await tellAll(recordings)),
  ...countAll(recordings),
];

function verdictOf({ problems, refusal }: Outcome): string {
  if (problems === null) return 'left out';
  if (refusal !== undefined) return `refused: ${refusal}`;
  return problems.length === 0 ? 'equal' : problems.join('; ');
}

for (const outcome of outcomes) {
  const { vendor, id, kind, bytes } = outcome;
  const cells = [vendor.padEnd(9), id.padEnd(40), kind.padEnd(9), String(bytes).padStart(8)];
  console.log(`${cells.join('  ')}  ${verdictOf(outcome)}`);
}
const differing = outcomes.filter(({ problems }) => problems !== null && problems.length > 0);
const leftOut = outcomes.filter(({ problems }) => problems === null);
const refused = outcomes.filter(({ refusal }) => refusal !== undefined);
const equal = outcomes.length - differing.length - leftOut.length - refused.length;
const counts = [`${equal} equal`, `${differing.length} differing`, `${refused.length} refused`];
console.log([...counts, `${leftOut.length} left out`].join(', '));
if (differing.length > 0) process.exitCode = 1;
