// Defines `gw healthcheck`, which checks whether the process of this container is ready.

import { readFileSync } from 'node:fs';

import { Command } from 'clipanion';

import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';

export class HealthcheckCommand extends Command {
  static override paths = [['healthcheck']];
  static override usage = Command.Usage({
    description: 'check whether a process on this machine is ready',
    details: `
      Requests GET /readyz from the listeners of the role. Give it the settings of the process, for
      example by running it in the same environment. Exits 0 if all listeners are ready, else 1.
    `,
    examples: [['Check the process of a container', '$0 healthcheck']],
  });

  constructor() {
    super();
    Object.assign(this, settingOptions(['role', 'host', 'port', 'adminPort', 'tlsCert']));
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { checkReadiness, readinessUrls } = await import('../health-check.ts');
      const checked = await checkReadiness(readinessUrls(read.settings));
      for (const { url, result } of checked) stdout.write(`${url} ${result}\n`);
      return checked.every(({ isReady }) => isReady) ? exitCodes.ok : exitCodes.failed;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
