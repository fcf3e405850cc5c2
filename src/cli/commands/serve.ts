// Defines `gw serve`, which is also what `gw` without a command does ("What the service does" rule 3).

import { readFileSync } from 'node:fs';

import { Command } from 'clipanion';

import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { onHangUp } from '../hang-up.ts';
import { serveUntilSignal } from '../lifetime.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { runRole } from '../role.ts';
import { readSettings } from '../settings/settings.ts';
import { startupRefusals, startupWarnings } from '../startup.ts';
import { openWorker } from '../workers/worker.ts';

export class ServeCommand extends Command {
  static override paths = [Command.Default, ['serve']];
  static override usage = Command.Usage({
    description: 'serve as a proxy (default), a control plane, or both',
    details: 'Each option has a GW_* variable; the option takes precedence.',
    examples: [
      ['Run a proxy from a configuration file', '$0 --config gw.yaml'],
      ['Run a proxy that follows a control plane', '$0 --control-url https://control.example'],
      ['Run control plane and proxy in one process', '$0 --role all'],
    ],
  });

  constructor() {
    super();
    Object.assign(this, settingOptions());
  }

  async execute(): Promise<ExitCode> {
    const { env, stderr } = this.context;
    const read = readSettings({
      flags: givenFlags(this),
      env,
      readFile: (path) => readFileSync(path, 'utf8'),
    });
    if ('refusals' in read) return reportRefusals(stderr, read.refusals);
    const { settings } = read;
    const refusals = startupRefusals(settings);
    if (refusals.length > 0) return reportRefusals(stderr, refusals);
    const worker = openWorker();
    // The parent process has printed them.
    const warnings = worker === null ? [...read.warnings, ...startupWarnings(settings)] : [];
    for (const warning of warnings) {
      stderr.write(`gw: warning: ${warning}\n`);
    }
    // Keeps SIGHUP from ending the process. A proxy with a configuration file adds a listener that reloads it.
    const stopHangUp = onHangUp(() => {});
    try {
      return await reportingFailure(this.context, () =>
        serveUntilSignal(worker?.signals ?? process, () => runRole(settings, worker)),
      );
    } finally {
      stopHangUp();
    }
  }
}
