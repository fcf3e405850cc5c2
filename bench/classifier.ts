// Measures the cost of classifying a prompt and the accuracy of the built-in encoder: `node bench/classifier.ts
// [--quick]`. The cost covers finding the text in the body, encoding it, and comparing it with eight centroids.

import { classify, readyFor } from '../src/classifier/classify.ts';
import type { Ready } from '../src/classifier/classify.ts';
import { snapshotCentroid, snapshotCentroids } from '../src/classifier/centroids.ts';
import { nearest } from '../src/classifier/tiers.ts';
import { promptText } from '../src/gateway/body/prompt-text.ts';
import { routeAt } from '../src/gateway/routes.ts';
import { promptClassId } from '../src/lib/ids.ts';
import { snapshotPromptClass } from '../src/snapshot/schema.ts';
import { builtInEncoders } from '../test/harness/classifier/prompt-classes.ts';
import { labelledPrompts } from '../test/harness/classifier/labelled-prompts.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 5 : 15;
const requests = quick ? 500 : 2_000;

const encoders = await builtInEncoders();
const encoder = encoders.fast.open();
const labelled = labelledPrompts();
const promptClasses = labelled.map(({ name }, index) =>
  snapshotPromptClass.parse({
    id: index + 1,
    name,
    tier: 'fast',
    min_margin: 0.1,
    refines: [],
  }),
);
const fast = snapshotCentroids(
  encoder.identity,
  labelled.map(({ examples }, index) => ({
    id: promptClassId.parse(index + 1),
    centroid: snapshotCentroid(examples.map(encoder.embed)),
  })),
);
const ready: Ready = readyFor(
  { promptClasses, classifier: { fast, refined: null } },
  encoders,
  () => {
    throw new Error('the encoder does not know its own centroids');
  },
);

cost();
quality();

function cost(): void {
  const route = routeAt('/v1/chat/completions');
  if (route === undefined) throw new Error('no chats');
  const words = labelled.flatMap(({ heldOut }) => heldOut).join(' ');
  for (const bytes of [100, 1_024, 4_096, 32_768]) {
    const content = words.repeat(2).slice(0, bytes);
    const history = { role: 'assistant', content: 'Certainly.' };
    const body = Buffer.from(
      JSON.stringify({ model: 'house', messages: [history, { role: 'user', content }] }),
    );
    const once = (): void => {
      const text = promptText(body, 0, route);
      if (text !== null) void classify(ready, text, { asksRefined: false, onEscalation: () => {} });
    };
    const tookUs = Array.from({ length: rounds }, () => {
      const start = process.cpuUsage();
      for (let request = 0; request < requests; request++) once();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / requests;
    }).toSorted((a, b) => a - b);
    const median = tookUs[Math.floor(tookUs.length / 2)] ?? 0;
    console.log(
      `${String(bytes).padStart(6)} bytes  ${median.toFixed(1)} µs (least ${tookUs[0]?.toFixed(1)})`,
    );
  }
}

function quality(): void {
  const judged = labelled.flatMap(({ heldOut }, actual) =>
    heldOut.flatMap((text) => {
      const vector = encoder.embed(text);
      const found = vector === null ? null : nearest(ready.tiers.fast, vector);
      return found === null
        ? []
        : [{ actual: actual + 1, id: found.contender.id, margin: found.margin }];
    }),
  );
  for (const floor of [0, 0.05, 0.1, 0.15]) {
    const scores = labelled.map((_, index) => {
      const own = judged.filter(({ actual }) => actual === index + 1).length;
      const taken = judged.filter(({ id, margin }) => id === index + 1 && margin >= floor);
      const right = taken.filter(({ actual }) => actual === index + 1).length;
      return { precision: right / taken.length, recall: right / own };
    });
    const mean = (of: 'precision' | 'recall'): string =>
      (scores.reduce((sum, score) => sum + score[of], 0) / scores.length).toFixed(3);
    console.log(`margin ${floor}  macro precision ${mean('precision')}  recall ${mean('recall')}`);
  }
}
