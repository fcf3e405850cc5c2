// The command that runs managed deployments in a cluster, each as its resource says.

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
      It makes of each GwDeployment a control plane and proxies, replaces the control plane before
      the proxies, and keeps both as the resource says. Of several operators one leads. Runs in a
      pod, with the service account of deploy/operator. Each option has a GW_* variable; an option
      wins over its variable.
    `,
    examples: [['The namespace of its own pod', '$0 operator']],
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
      // Loaded here, because its HTTP client is much to load for a program that only shows its help.
      const { runOperator } = await import('../operator.ts');
      return serveUntilSignal(process, () => runOperator(read.settings, place));
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
