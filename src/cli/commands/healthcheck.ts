// The command that says whether the process of this container is ready.

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
    description: 'ask the listeners of a process on this machine whether they are ready',
    details: `
      Asks GET /readyz of the gateway, of the admin listener, or of both, as the role has them, with
      the settings that the process was started with. Exits 0 when all are ready, else 1.
    `,
    examples: [['In a container, with its own environment', '$0 healthcheck']],
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
      // Loaded here, because its HTTP client is much to load for a program that only shows its help.
      const { checkReadiness, readinessUrls } = await import('../health-check.ts');
      const checked = await checkReadiness(readinessUrls(read.settings));
      for (const { url, said } of checked) stdout.write(`${url} ${said}\n`);
      return checked.every(({ isReady }) => isReady) ? exitCodes.ok : exitCodes.failed;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
