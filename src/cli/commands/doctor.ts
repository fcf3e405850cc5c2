// Defines `gw doctor`, which checks whether a process can run with its settings on this machine.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';

export class DoctorCommand extends Command {
  static override paths = [['doctor']];
  static override usage = Command.Usage({
    description: 'check the settings, the database and everything that a process needs',
    details: `
      Give it the settings of the process, for example by running it in the same environment, before
      or while that runs. Prints a line for each check: ok, warning or failed, with what to do.
      Changes nothing, and sends no credential to providers. Exits 1 if a check failed.
    `,
    examples: [
      ['Check a proxy', '$0 doctor'],
      ['Check a control plane', '$0 doctor --role control'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions());
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { settings, warnings } = read;
      const { runChecks } = await import('../doctor/check.ts');
      const { checks } = await import('../doctor/checks.ts');
      const { openDatabase } = await import('../../db/pool.ts');
      const { databaseUrl: url, role } = settings;
      const place = {
        purpose: 'reports',
        applicationName: 'gw doctor',
        connectionsMax: 1,
      } as const;
      const db = url === null || role === 'proxy' ? null : openDatabase({ url, ...place });
      const found = [];
      try {
        for await (const checked of runChecks(checks, { settings, warnings, env, db })) {
          found.push(checked);
          const { check, status, message } = checked;
          if (!this.json) stdout.write(`${status.padEnd(8)} ${check}: ${message}\n`);
        }
      } finally {
        await db?.dispose();
      }
      if (this.json) stdout.write(`${JSON.stringify(found)}\n`);
      return found.some(({ status }) => status === 'failed') ? exitCodes.failed : exitCodes.ok;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
