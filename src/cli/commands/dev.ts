// The command that tries gw out: everything on this machine, nothing to configure, one box that says how to call it.

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
    description: 'try gw on this machine: database, demo provider, login and key included',
    details: `
      Serves role all on loopback and keeps its data in ./.gw, so that a second start finds it
      again. Not for production. Ctrl-C stops everything. Other commands work on it while it runs,
      with the database_url that --json prints as GW_DATABASE_URL, and the encryption_key of
      ./.gw/dev.json as GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Start, and print how to call it', '$0 dev'],
      ['On any free ports, keeping nothing', '$0 dev --ephemeral --port 0 --admin-port 0'],
    ],
  });

  dataDirectory = Option.String('--data-dir', '.gw', { description: 'where the data is kept' });
  ephemeral = Option.Boolean('--ephemeral', false, { description: 'keep nothing' });
  json = Option.Boolean('--json', false, {
    description: 'print one line of JSON when ready, instead of the box',
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
        // Loaded here, because it is much to load for a program that only shows its help.
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

/** A database or a key of the user's shell belongs to another gw than this one. */
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
