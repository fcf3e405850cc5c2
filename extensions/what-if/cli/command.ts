// Defines the command that shows the effect of a proposal on past requests.

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
    description: 'show how a proposed change would have routed past requests',
    details: `
      Routes recorded requests on the proposed configuration and on the current one (or --base), and
      counts which are newly denied, newly allowed or re-routed, and the difference in cost. The
      proposal is a version, a change request, or a file of calls of the admin API
      [{method, path, body}]. Requests whose rows hold too little are counted separately. Changes
      nothing. Exits 10 if something would change. Needs --database-url (GW_DATABASE_URL) and
      GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Try a version on the requests of the last 24 hours', '$0 what-if --version 1482'],
      ['Try calls of a file', '$0 what-if -f calls.json --since 2026-11-01T00:00:00Z'],
    ],
  });

  since = Option.String('--since', {
    description: 'only requests since this time (default 24 hours ago)',
  });
  until = Option.String('--until', { description: 'only requests before this time (default now)' });
  version = Option.String('--version', {
    description: 'proposed version, position or time',
  });
  base = Option.String('--base', {
    description: 'version to compare with (default the current one)',
  });
  file = Option.String('-f,--file', {
    description: 'JSON file with the proposed calls',
  });
  changeRequest = Option.String('--change-request', {
    description: 'id of the proposed change request',
  });
  requests = Option.String('--requests', {
    description: 'maximum number of requests (default 1000)',
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
    return refuse('invalid', `${file} is not valid JSON: ${error.message}`);
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
    ...(json.without_version === 0 ? [] : [`  ${json.without_version}  without a known version`]),
    ...changed.map((one) => `${one.usage_id}  ${one.at}  ${one.model}  ${one.change}`),
  ];
}
