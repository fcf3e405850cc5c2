// Defines the command that explains the routing of a past request.

import { Option } from 'clipanion';

import type {
  ExplainedCandidate,
  ExplainedRule,
  UsageExplanation,
} from '../../../src/control/history/explain.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import { HistoryCommand } from '../../../src/cli/control-plane/history-command.ts';
import type { Printed } from '../../../src/cli/control-plane/history-command.ts';

export class ExplainCommand extends HistoryCommand {
  static override paths = [['explain']];
  static override usage = HistoryCommand.Usage({
    description: 'explain the route of a past request',
    details: `
      Routes the recorded request again on the snapshot that served it. Prints the verdict of each
      rule, the candidates, and what was not recorded. Exits 10 if the result differs from the
      recorded route. Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Explain a request by the id of its usage row', '$0 explain 01ARZ3NDEKTSV4RRFFQ6000001'],
    ],
  });

  id = Option.String({ name: 'usage id' });

  protected override async read({ reports: db, past }: ControlPlane): Promise<Printed | Refusal> {
    if (!/^[0-9A-HJKMNP-TV-Z]{26}$/.test(this.id)) {
      return refuse(
        'invalid',
        `usage id must be the id of a usage row, was ${JSON.stringify(this.id)}`,
      );
    }
    const { explainUsage } = await import('../../../src/control/history/explain.ts');
    const { createAskRouted } = await import('../../../src/control/history/routed.ts');
    const routed = createAskRouted(Date.now);
    const json = await explainUsage({ db, past, routed }, this.id);
    if (isRefusal(json)) return json;
    const code = json.agrees ? exitCodes.ok : exitCodes.differences;
    return { json, text: linesOf(json).join('\n'), code };
  }
}

function linesOf(explained: UsageExplanation): readonly string[] {
  const { usage, snapshot_version: version, route, tag, denied } = explained;
  return [
    `${usage.at.toISOString()}  ${usage.principal}  ${usage.virtual_model}  snapshot version ${version}`,
    ...explained.rules.map(ruleLine),
    `route ${route ?? 'none'}${tag === null ? '' : `  #${tag}`}`,
    ...(denied === null ? [] : [`denied ${denied.status} ${denied.message}`]),
    ...explained.candidates.map(candidateLine),
    `answered ${usage.status ?? 'none'}  ${usage.refusal ?? usage.model ?? ''}  attempts ${usage.attempts}`,
    ...explained.not_recorded.map((one) => `not recorded: ${one}`),
    ...explained.differences.map((one) => `differs: ${one}`),
  ];
}

function ruleLine({ frontend_model, rule_index, rule_id, action, ...verdict }: ExplainedRule) {
  const { decides, failed, unknown, jump_lost } = verdict;
  const why = [
    ...(decides ? ['decides'] : []),
    ...failed.map((field) => `not ${field}`),
    ...unknown.map((field) => `${field} not recorded`),
    ...(jump_lost ? ['the jump target was deleted'] : []),
  ];
  const said = why.length === 0 ? 'matches, after the rule that decides' : why.join(', ');
  return `  ${frontend_model} rule ${rule_index} (${rule_id}) ${action}: ${said}`;
}

function candidateLine(one: ExplainedCandidate): string {
  const marks = [
    ...(one.pool === null ? [] : [`of pool ${one.pool}`]),
    ...(one.fallback ? ['the fallback'] : []),
    ...(one.dropped === null ? [] : [`dropped: ${one.dropped.replaceAll('_', ' ')}`]),
    ...(one.window_too_small ? ['window too small'] : []),
    ...(one.answered ? ['answered'] : []),
  ];
  return `  ${one.model}${marks.length === 0 ? '' : `  ${marks.join(', ')}`}`;
}
