// Reads the labelled prompts of test/fixtures/prompts: one file per class, one prompt per line.
// Every fourth line is an example of its class; the others are held out.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type LabelledPrompts = Readonly<{
  name: string;
  examples: readonly string[];
  heldOut: readonly string[];
}>;

const directory = path.join(import.meta.dirname, '../../fixtures/prompts');
const examplesPerClass = 20;

const isExample = (index: number): boolean => index % 4 === 0 && index / 4 < examplesPerClass;

export const labelledPrompts = (): readonly LabelledPrompts[] =>
  readdirSync(directory)
    .toSorted()
    .map((file) => {
      const lines = readFileSync(path.join(directory, file), 'utf8').trim().split('\n');
      return {
        name: path.basename(file, '.txt'),
        examples: lines.filter((_, index) => isExample(index)),
        heldOut: lines.filter((_, index) => !isExample(index)),
      };
    });
