// Defines `gw agent`, which registers the model servers of a host or a cluster (specification, "Host-registration agent").

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

import { Command } from 'clipanion';

import { agentWarnings, planAgent } from '../agent-plan.ts';
import { agentSettings } from '../settings/agent-settings.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { serveUntilSignal } from '../lifetime.ts';
import { flagsOf, tableOptions } from '../printing/options.ts';
import { readTable } from '../settings/settings.ts';

export class AgentCommand extends Command {
  static override paths = [['agent']];
  static override usage = Command.Usage({
    description: 'register the model servers of a host or a cluster with a control plane',
    details: `
      Finds model servers, registers each with a lease, and renews the leases. The agent only makes
      outgoing connections. It sends no model lists: the control plane asks each endpoint itself.
      Each option has a GW_* variable; the option takes precedence.
    `,
    examples: [
      ['Register all model servers of this host', '$0 agent --advertise 10.0.0.5'],
      ['Register one endpoint', '$0 agent --api-base http://10.0.0.5:8000/v1'],
      ['Register what a cluster exposes', '$0 agent --kubernetes --provider-name cluster-1'],
    ],
  });

  constructor() {
    super();
    Object.assign(this, tableOptions(agentSettings));
  }

  async execute(): Promise<ExitCode> {
    const { env, stderr } = this.context;
    const flags = flagsOf(this, agentSettings);
    const read = readTable(agentSettings, { flags, env, readFile });
    if ('refusals' in read) return reportRefusals(stderr, read.refusals);
    const { settings } = read;
    const plan = planAgent(settings, { env, hostName: hostname() });
    if (!('controlUrl' in plan)) return reportRefusals(stderr, plan);
    for (const warning of [...read.warnings, ...agentWarnings(settings)]) {
      stderr.write(`gw: warning: ${warning}\n`);
    }
    return reportingFailure(this.context, async () => {
      const { runAgent, runAgentOnce } = await import('../agent.ts');
      return settings.once
        ? runAgentOnce(settings, plan)
        : serveUntilSignal(process, () => runAgent(settings, plan));
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
