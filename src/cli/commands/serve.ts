// The command that serves in a role; it is what `gw` without a command does ("What the service does" rule 3).

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
import { takeSeat } from '../workers/seat.ts';

export class ServeCommand extends Command {
  static override paths = [Command.Default, ['serve']];
  static override usage = Command.Usage({
    description: 'serve in a role: proxy (default), control or all',
    details: 'Each option has a GW_* variable; an option wins over its variable.',
    examples: [
      ['Forward, as a configuration file says', '$0 --config gw.yaml'],
      ['Forward, as a control plane says', '$0 --control-url https://control.example'],
      ['Control plane and forwarding in one process', '$0 --role all'],
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
    const seat = takeSeat();
    // The parent has said them.
    const warnings = seat === null ? [...read.warnings, ...startupWarnings(settings)] : [];
    for (const warning of warnings) {
      stderr.write(`gw: warning: ${warning}\n`);
    }
    // A role that has a file to read again listens for itself.
    const stopHangUp = onHangUp(() => {});
    try {
      return await reportingFailure(this.context, () =>
        serveUntilSignal(seat?.signals ?? process, () => runRole(settings, seat)),
      );
    } finally {
      stopHangUp();
    }
  }
}
