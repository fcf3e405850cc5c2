// Defines `gw history view`, which shows an export or evidence in a browser, without a database.

import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { anchorOption, keyOption, readAnchors } from '../../../src/cli/control-plane/anchors.ts';
import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import type { ExitCode } from '../../../src/cli/printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../../../src/cli/printing/failure.ts';
import { serveUntilSignal } from '../../../src/cli/lifetime.ts';
import { readViewer, serveViewer } from './serve.ts';
import type { Viewed } from './serve.ts';

export class HistoryViewCommand extends Command {
  static override paths = [['history', 'view']];
  static override usage = Command.Usage({
    description: 'show an export of the event log in a browser',
    details: `
      Takes the output file of \`gw log export\` or the directory of \`gw evidence\`. The browser
      verifies it and shows changes, events, configurations, their differences, and who could call
      which model. Needs no database. Prints a loopback address and serves it until interrupted.
      With --page it writes the viewer instead, as one HTML file that opens exports on any machine.
    `,
    examples: [
      ['Show an export', '$0 history view log.ndjson'],
      ['Write the viewer for an auditor without gw', '$0 history view --page gw-viewer.html'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the address as JSON' });
  port = Option.String('--port', '0', {
    description: 'port to serve; 0 is any free port (default 0)',
  });
  anchor = anchorOption();
  key = keyOption();
  page = Option.String('--page', { description: 'file to create with the viewer' });
  file = Option.String({ name: 'file', required: false });

  async execute(): Promise<ExitCode> {
    const { stdout, stderr } = this.context;
    return reportingFailure(this.context, async () => {
      if (this.page !== undefined) {
        const html = readViewer();
        if (isRefusal(html)) return reportRefusals(stderr, [html]);
        writeFileSync(this.page, html, { flag: 'wx' });
        return exitCodes.ok;
      }
      const viewed = await this.viewed();
      if (isRefusal(viewed)) return reportRefusals(stderr, [viewed]);
      const html = readViewer();
      if (isRefusal(html)) return reportRefusals(stderr, [html]);
      return serveUntilSignal(process, async () => {
        const served = await serveViewer(html, viewed);
        const { url } = served;
        stdout.write(`${this.json ? JSON.stringify({ url }) : url}\n`);
        return served;
      });
    });
  }

  private async viewed(): Promise<Viewed | Refusal> {
    const { key = null, file } = this;
    if (file === undefined) {
      return refuse('invalid', 'give the path of an export or of an evidence pack');
    }
    if (key !== null && !/^[\da-f]{64}$/.test(key)) {
      return refuse('invalid', `--key must be 64 hex digits, was ${JSON.stringify(key)}`);
    }
    const port = /^\d{1,5}$/.test(this.port) ? Number(this.port) : Infinity;
    if (port > 65_535) {
      return refuse('invalid', `--port must be 0 to 65535, was ${JSON.stringify(this.port)}`);
    }
    const anchors = readAnchors(this.anchor, (one) => readFileSync(one, 'utf8'));
    if (isRefusal(anchors)) return anchors;
    return { files: await filesAt(file), anchors, key, port };
  }
}

/** All files of a directory. */
async function filesAt(place: string): Promise<ReadonlyMap<string, string>> {
  if (!(await stat(place)).isDirectory()) return new Map([[path.basename(place), place]]);
  const entries = await readdir(place, { withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, path.join(place, name)] as const),
  );
}
