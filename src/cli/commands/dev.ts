// Defines `gw dev`, which starts gw with a database and a demo provider on this machine and prints how to call it.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { signInLinkMinutes } from '../../control/access/sign-in-link.ts';
import type { DevReady } from '../dev/dev.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { serveUntilSignal } from '../lifetime.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { runAll } from '../role.ts';
import { readSettings } from '../settings/settings.ts';

export class DevCommand extends Command {
  static override paths = [['dev']];
  static override usage = Command.Usage({
    description: 'start a trial of gw on this machine, with database, demo provider, login and key',
    details: `
      Serves role all on loopback and keeps its data in ./.gw between starts. Not for production.
      Ctrl-C stops everything. To run other commands against it, set GW_DATABASE_URL to the
      database_url that --json prints and GW_ENCRYPTION_KEY to the encryption_key in
      ./.gw/dev.json.
    `,
    examples: [
      ['Start gw and print how to call it', '$0 dev'],
      ['Use free ports and keep no data', '$0 dev --ephemeral --port 0 --admin-port 0'],
    ],
  });

  dataDirectory = Option.String('--data-dir', '.gw', {
    description: 'directory of the data (default .gw)',
  });
  ephemeral = Option.Boolean('--ephemeral', false, { description: 'delete the data at the end' });
  json = Option.Boolean('--json', false, {
    description: 'print one line of JSON when ready',
  });

  constructor() {
    super();
    Object.assign(this, settingOptions(['port', 'adminPort', 'log', 'logFormat']));
  }

  async execute(): Promise<ExitCode> {
    const { env, stdout, stderr } = this.context;
    const read = readSettings({
      flags: { ...givenFlags(this), role: 'all', host: '127.0.0.1' },
      env: Object.fromEntries(honouredVariables.map((name) => [name, env[name]])),
      readFile: (file) => readFileSync(file, 'utf8'),
    });
    if ('refusals' in read) return reportRefusals(stderr, read.refusals);
    const { settings } = read;
    return reportingFailure(this.context, () =>
      serveUntilSignal(process, async () => {
        const { startDev } = await import('../dev/dev.ts');
        const dev = await startDev({
          dataDirectory: this.dataDirectory,
          ephemeral: this.ephemeral,
          log: (message) => void stderr.write(`gw: ${message}\n`),
          settings,
          runAll,
        });
        stdout.write(this.json ? `${JSON.stringify(dev.ready)}\n` : box(dev.ready));
        return dev;
      }),
    );
  }
}

/** Other GW_* variables of the shell, such as a database, belong to another gw. */
const honouredVariables = ['GW_PORT', 'GW_ADMIN_PORT', 'GW_LOG', 'GW_LOG_FORMAT'] as const;

function box(ready: DevReady): string {
  const { gateway_url, admin_url, login, sign_in_url, api_key, model } = ready;
  const lines = [
    'gw is ready. Not for production.',
    '',
    `Admin    ${admin_url}`,
    `  login  ${login.name}`,
    `  with   ${login.password}`,
    `Gateway  ${gateway_url}/v1`,
    `  key    ${api_key}`,
    `  model  ${model}`,
    '',
    'Ctrl-C stops everything.',
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const edge = '─'.repeat(width + 2);
  const rows = lines.map((line) => `│ ${line.padEnd(width)} │`);
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] });
  const call = [
    `Open the admin UI, signed in (once, within ${signInLinkMinutes} minutes):`,
    '',
    `  ${sign_in_url}`,
    '',
    'Try it:',
    '',
    `  curl ${gateway_url}/v1/chat/completions \\`,
    `    -H 'authorization: Bearer ${api_key}' \\`,
    `    -H 'content-type: application/json' \\`,
    `    -d '${body}'`,
    '',
    `  export OPENAI_BASE_URL=${gateway_url}/v1 OPENAI_API_KEY=${api_key}`,
  ];
  return `${[`┌${edge}┐`, ...rows, `└${edge}┘`, '', ...call].join('\n')}\n\n`;
}
