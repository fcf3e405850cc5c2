// The command that says what a proposal would have made of requests of the past.

import { readFileSync } from 'node:fs';

import { Option } from 'clipanion';

import type { WhatIfRecord } from '../record.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import { HistoryCommand } from '../../../src/cli/control-plane/history-command.ts';
import type { Printed } from '../../../src/cli/control-plane/history-command.ts';
import { settingOptions } from '../../../src/cli/printing/options.ts';
import type { Settings } from '../../../src/cli/settings/settings.ts';

export class WhatIfCommand extends HistoryCommand {
  static override paths = [['what-if']];
  static override usage = HistoryCommand.Usage({
    description: 'say what a proposal would have made of requests of the past',
    details: `
      Recorded requests are routed again on what is proposed (a version, a change request, or a
      file of calls of the admin API, [{method, path, body}]) and on the configuration as it stands,
      or --base: newly denied, newly allowed, re-routed, and what it costs. What their rows do not
      tell is counted apart. Nothing is written. Exits 10 when something would change. Needs
      --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['A version, on the requests of the last 24 hours', '$0 what-if --version 1482'],
      ['Calls that are not made yet', '$0 what-if -f calls.json --since 2026-11-01T00:00:00Z'],
    ],
  });

  since = Option.String('--since', {
    description: 'requests from this time on; a day when absent',
  });
  until = Option.String('--until', { description: 'requests before this time; now when absent' });
  version = Option.String('--version', {
    description: 'a version, position or time that is proposed',
  });
  base = Option.String('--base', { description: 'what a version is compared with' });
  file = Option.String('-f,--file', {
    description: 'a file with the calls that are proposed, as JSON',
  });
  changeRequest = Option.String('--change-request', {
    description: 'the id of a change request whose calls are proposed',
  });
  requests = Option.String('--requests', {
    description: 'how many are compared; 1000 when absent',
  });

  constructor() {
    super();
    Object.assign(this, settingOptions(['databaseUrl', 'egressAllow', 'egressDeny', 'caBundle']));
  }

  protected override async read(
    plane: ControlPlane,
    settings: Settings,
  ): Promise<Printed | Refusal> {
    const calls = this.file === undefined ? undefined : readCalls(this.file);
    if (isRefusal(calls)) return calls;
    const { since, until, version, base } = this;
    const [requests, change_request] = [this.requests, this.changeRequest].map((given) =>
      given === undefined ? undefined : Number(given),
    );
    const given = Object.entries({
      since,
      until,
      version,
      base,
      calls,
      change_request,
      requests,
    });
    const asked = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const { whatIfIn } = await import('./run.ts');
    const json = await whatIfIn(plane, settings, asked);
    if (isRefusal(json)) return json;
    const { requests: all, same, not_told: untold } = json.total;
    const code = all === same + untold ? exitCodes.ok : exitCodes.differences;
    return { json, text: linesOf(json).join('\n'), code };
  }
}

function readCalls(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse('invalid', `${file} is no JSON: ${error.message}`);
  }
}

function linesOf({ window, base, total, moves, not_told, changed, ...json }: WhatIfRecord) {
  const { rerouted, newly_denied, newly_allowed, same } = total;
  const counts = [
    `${rerouted} re-routed`,
    `${newly_denied} newly denied`,
    `${newly_allowed} newly allowed`,
    `${same} the same`,
    `${total.not_told} not told`,
  ];
  const { cost_before, cost_after, cost_difference, unpriced } = total;
  return [
    `${json.compared} of ${json.recorded} requests, ${window.since} to ${window.until}`,
    `against version ${base.version}: ${counts.join(', ')}`,
    `cost ${cost_before} -> ${cost_after} (${cost_difference}), ${unpriced} unpriced`,
    ...moves.first.map(({ from, to, requests }) => `  ${requests}  ${from} -> ${to}`),
    ...not_told.first.map(({ what, requests }) => `  ${requests}  not recorded: ${what}`),
    ...(json.not_reached === 0 ? [] : [`  ${json.not_reached}  not reached in time`]),
    ...(json.without_version === 0 ? [] : [`  ${json.without_version}  of no known version`]),
    ...changed.map((one) => `${one.usage_id}  ${one.at}  ${one.model}  ${one.change}`),
  ];
}
