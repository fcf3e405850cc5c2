// Derives the plan of the agent from its settings, or reports why they are wrong (specification, "Host-registration agent").

import { outright, scanned } from '../agent/candidate.ts';
import type { Candidate } from '../agent/candidate.ts';
import type { Served } from '../agent/model-list.ts';
import { portOf, providerName } from '../agent/names.ts';
import type { Registration } from '../agent/register.ts';
import { findCluster } from '../kubernetes/in-cluster.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { AgentSettingsTable } from './settings/agent-settings.ts';
import type { SettingsOf } from './settings/settings.ts';

export type AgentSettings = SettingsOf<AgentSettingsTable>;

export type AgentPlan = Readonly<{
  controlUrl: string;
  token: string;
  /** Configured endpoints first, then ports to scan. */
  fixed: readonly Candidate[];
  /** Null outside Kubernetes. */
  cluster: ClusterPlace | null;
  describe: (candidate: Candidate, served: Served | null) => Registration;
}>;

export type AgentSurroundings = Readonly<{
  env: Readonly<Record<string, string | undefined>>;
  hostName: string;
}>;

/** Default ports of engines: vLLM 8000 and 8001, llama.cpp 8080, and 8890. */
const commonPorts: readonly number[] = [8000, 8001, 8080, 8890];

/** Reports all problems at once. */
export function planAgent(
  settings: AgentSettings,
  { env, hostName }: AgentSurroundings,
): AgentPlan | readonly Refusal[] {
  const { controlUrl, token, advertise, kubernetes, serviceAccountDirectory } = settings;
  const ports = settings.scanPorts ?? (kubernetes || advertise === null ? [] : commonPorts);
  const cluster = kubernetes ? findCluster(env, serviceAccountDirectory) : null;
  const refusals = [
    ...missing(settings),
    ...leaseRefusals(settings),
    ...placeRefusals(settings, ports),
    ...(isRefusal(cluster) ? [cluster] : []),
  ];
  if (refusals.length > 0 || controlUrl === null || token === null || isRefusal(cluster)) {
    return refusals;
  }
  const fixed = [
    ...settings.apiBase.map(outright),
    ...(advertise === null ? [] : scanned(advertise, ports)),
  ];
  return { controlUrl, token, fixed, cluster, describe: describing(settings, hostName) };
}

type Param = keyof AgentSettingsTable;

const invalid = (param: Param, message: string): Refusal => refuse('invalid', message, { param });

function missing({ controlUrl, token }: AgentSettings): readonly Refusal[] {
  const refusals: Refusal[] = [];
  if (controlUrl === null) {
    refusals.push(invalid('controlUrl', 'the agent needs --control-url (GW_CONTROL_URL)'));
  }
  if (token === null) {
    refusals.push(invalid('token', 'the agent needs an API key: GW_AGENT_TOKEN (--token)'));
  }
  return refusals;
}

/** Half the lease, so that one heartbeat may be lost. */
function leaseRefusals({ ttl, interval }: AgentSettings): readonly Refusal[] {
  if (interval * 2 <= ttl) return [];
  const message = `--interval ${interval} is too long for --ttl ${ttl}: it must be at most half of it`;
  return [invalid('interval', message)];
}

function placeRefusals(settings: AgentSettings, ports: readonly number[]): readonly Refusal[] {
  const { advertise, apiBase, kubernetes, scanPorts } = settings;
  if (advertise === null && (scanPorts ?? []).length > 0) {
    return [invalid('advertise', '--scan-ports needs --advertise, the address to probe them on')];
  }
  if (kubernetes || apiBase.length > 0 || (advertise !== null && ports.length > 0)) return [];
  const message = 'the agent needs --advertise, --api-base or --kubernetes';
  return [invalid('advertise', message)];
}

/** Under Kubernetes the host name is that of a pod and changes with every start, so it is not part of a name. */
function describing(settings: AgentSettings, hostName: string): AgentPlan['describe'] {
  const { kubernetes, node, providerName: given, engine: hint, ttl } = settings;
  const ownNode = node ?? hostName;
  const first = given ?? (kubernetes ? node : ownNode);
  return (candidate, served) => {
    const engine = hint ?? served?.engine ?? null;
    return {
      api_base: candidate.apiBase,
      node: candidate.node ?? ownNode,
      name: providerName({
        first,
        node: kubernetes ? candidate.node : null,
        model: served?.model ?? null,
        port: portOf(candidate.apiBase),
      }),
      ...(engine === null ? {} : { engine }),
      ttl_seconds: ttl,
    };
  };
}

export const agentWarnings = ({ sources }: AgentSettings): readonly string[] =>
  sources.token === 'flag'
    ? ['--token is visible to every user of this machine; use GW_AGENT_TOKEN']
    : [];
