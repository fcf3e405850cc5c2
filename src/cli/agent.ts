// Composes `gw agent` from its settings: one search, or a running agent.

import { registerOnce, startAgent } from '../agent/agent.ts';
import type { AgentOptions } from '../agent/agent.ts';
import { createDiscovery } from '../agent/discovery.ts';
import { openProbe } from '../agent/probe.ts';
import { openRegistrar } from '../agent/register.ts';
import type { Log } from '../telemetry/log.ts';
import type { AgentPlan, AgentSettings } from './agent-plan.ts';
import { exitCodes } from './printing/exit-codes.ts';
import type { ExitCode } from './printing/exit-codes.ts';
import type { Running } from './lifetime.ts';
import { logToStderr } from './printing/log-to-stderr.ts';
import { readCertificates } from './pem-files.ts';

/** Registers and renews leases until closed, which takes effect at once. */
export async function runAgent(settings: AgentSettings, plan: AgentPlan): Promise<Running> {
  await using started = new AsyncDisposableStack();
  const log = logToStderr(settings).of('agent');
  const { failed, close } = startAgent(openParts(settings, { plan, log, started }));
  started.defer(close);
  const { fixed, cluster, controlUrl } = plan;
  const candidates = { configured: fixed.length, cluster: cluster?.url ?? null };
  log.info({ control: controlUrl, ...candidates }, 'agent started');
  const parts = started.move();
  return { failed, close: () => parts.disposeAsync() };
}

/** Finding nothing is not a failure, because an engine may start later. */
export async function runAgentOnce(settings: AgentSettings, plan: AgentPlan): Promise<ExitCode> {
  await using started = new AsyncDisposableStack();
  const log = logToStderr(settings).of('agent');
  const visited = await registerOnce(openParts(settings, { plan, log, started }));
  const away = visited.find(({ kind }) => kind === 'away');
  if (away?.kind === 'away') {
    log.error({ reason: away.why }, 'the control plane does not answer');
    return exitCodes.unreachable;
  }
  const registered = visited.filter(({ kind }) => kind === 'registered').length;
  const refused = visited.filter(({ kind }) => kind === 'refused').length;
  log.info({ candidates: visited.length, registered, refused }, 'registered once');
  return refused > 0 ? exitCodes.refused : exitCodes.ok;
}

type Opening = Readonly<{ plan: AgentPlan; log: Log; started: AsyncDisposableStack }>;

function openParts(settings: AgentSettings, { plan, log, started }: Opening): AgentOptions {
  const { advertise, caCert } = settings;
  const { controlUrl, token, cluster } = plan;
  const ca = caCert === null ? null : readCertificates('--ca-cert', caCert);
  const registrar = openRegistrar({ controlUrl, token, ca });
  started.defer(registrar.close);
  const probing = openProbe();
  started.defer(probing.close);
  return {
    fixed: plan.fixed,
    findExposed: cluster === null ? null : createDiscovery({ cluster, advertise, log }),
    probe: probing.probe,
    register: registrar.register,
    describe: plan.describe,
    workers: settings.probeWorkers,
    intervalMs: settings.interval * 1000,
    discoverMs: settings.discoverInterval * 1000,
    log,
    random: Math.random,
  };
}
