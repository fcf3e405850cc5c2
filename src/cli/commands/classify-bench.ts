// Defines `gw classify-bench`, which measures how long the configured encoders take to classify prompts.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Measured } from '../classify-bench.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';

const iterationsMax = 100_000;
const concurrencyMax = 64;

export class ClassifyBenchCommand extends Command {
  static override paths = [['classify-bench']];
  static override usage = Command.Usage({
    description: 'measure how long this machine takes to classify a prompt',
    details: `
      Encodes prompts of several lengths: one by one with the encoder of the fast tier, and several
      at a time with that of the refined tier, if configured. Prints milliseconds per prompt.
    `,
    examples: [['Measure the built-in encoder', '$0 classify-bench']],
  });

  iterations = Option.String('--iterations', '20', {
    description: 'number of prompts of each length (default 20)',
  });
  concurrency = Option.String('--concurrency', '4', {
    description: 'concurrent prompts in the refined tier (default 4)',
  });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    const names = [
      'classifierModel',
      'classifierRefinedModel',
      'classifierRefinedRuntime',
    ] as const;
    Object.assign(this, settingOptions(names));
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const iterations = countIn('--iterations', this.iterations, iterationsMax);
      const concurrency = countIn('--concurrency', this.concurrency, concurrencyMax);
      if (isRefusal(iterations)) return reportRefusals(stderr, [iterations]);
      if (isRefusal(concurrency)) return reportRefusals(stderr, [concurrency]);
      const { measureClassifier } = await import('../classify-bench.ts');
      const measured = await measureClassifier(read.settings, { iterations, concurrency });
      stdout.write(`${this.json ? JSON.stringify(measured) : toText(measured)}\n`);
      return exitCodes.ok;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

function countIn(flag: string, text: string, most: number): number | Refusal {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  const message = `${flag} must be a whole number from 1 to ${most}, was ${JSON.stringify(text)}`;
  return refuse('invalid', message, { param: flag });
}

const toText = (measured: readonly Measured[]): string =>
  measured
    .map(({ tier, encoder, characters, median_ms, worst_ms }) =>
      [
        `${tier} ${encoder}`.padEnd(34),
        `${characters} characters`.padStart(16),
        `median ${median_ms.toFixed(3)} ms`.padStart(18),
        `worst ${worst_ms.toFixed(3)} ms`.padStart(18),
      ].join('  '),
    )
    .join('\n');
