// Defines `gw operator`, which runs managed deployments in a Kubernetes cluster.

import { readFileSync } from 'node:fs';

import { Command } from 'clipanion';

import { findCluster } from '../../kubernetes/in-cluster.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { serveUntilSignal } from '../lifetime.ts';
import { operatorSettings } from '../settings/operator-settings.ts';
import { flagsOf, tableOptions } from '../printing/options.ts';
import { readTable } from '../settings/settings.ts';

export class OperatorCommand extends Command {
  static override paths = [['operator']];
  static override usage = Command.Usage({
    description: 'run the managed deployments of a Kubernetes namespace',
    details: `
      Runs a control plane and proxies for each GwDeployment and keeps them as its resource
      specifies. Upgrades replace the control plane before the proxies. Of several operators, one
      leads. Runs in a pod, with the service account of deploy/operator. Each option has a GW_*
      variable; the option takes precedence.
    `,
    examples: [['Manage the namespace of its own pod', '$0 operator']],
  });

  constructor() {
    super();
    Object.assign(this, tableOptions(operatorSettings));
  }

  async execute(): Promise<ExitCode> {
    const { env, stderr } = this.context;
    const flags = flagsOf(this, operatorSettings);
    const read = readTable(operatorSettings, { flags, env, readFile });
    if ('refusals' in read) return reportRefusals(stderr, read.refusals);
    const place = findCluster(env, read.settings.serviceAccountDirectory);
    if (isRefusal(place)) return reportRefusals(stderr, [place]);
    for (const warning of read.warnings) stderr.write(`gw: warning: ${warning}\n`);
    return reportingFailure(this.context, async () => {
      const { runOperator } = await import('../operator.ts');
      return serveUntilSignal(process, () => runOperator(read.settings, place));
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
