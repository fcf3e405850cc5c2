// What a proxy keeps of a backend and of its endpoint, from one snapshot version to the next.

import type { Load } from '../routing/load.ts';
import type { CompiledBackend } from '../snapshot/compile/models.ts';
import type { Tuning } from '../snapshot/tuning.ts';
import type { Durations } from '../telemetry/histogram.ts';
import type { Admission } from './admission/admission.ts';
import type { Cooldown } from './health/cooldown.ts';
import type { Reach, Traffic } from './health/state.ts';

/** The engine's own count of its requests. */
export type EngineReading = NonNullable<Load['engine']> &
  Readonly<{ running: number; waiting: number }>;

export type BackendState = Load & {
  /** Names the endpoint in this process, from 1. */
  readonly uid: number;
  /** As the newest generation has it: its credential may be an access token that was renewed. */
  backend: CompiledBackend;
  readonly endpoint: EndpointState;
  inFlight: number;
  requests: number;
  errors: number;
  health: Traffic;
  /** Times that it was taken out of rotation. */
  ejections: number;
  restsUntilMs: number;
  cooldown: Cooldown;
  coolsUntilMs: number;
  engine: EngineReading | null;
  /** Null until its gate is first on; then it stays, on or off. */
  admission: Admission | null;
  latencyMs: number | null;
  /** It speaks chat but does not serve the Responses API, as its own 404 says. */
  lacksResponses: boolean;
  readonly durations: Durations;
};

export type EndpointState = {
  readonly identity: string;
  /** One of its backends in the newest generation: a credential may have been renewed. */
  backend: CompiledBackend;
  tuning: Tuning;
  /** Its backends in the newest generation. */
  backends: BackendState[];
  reach: Reach;
  /** Probes that it has passed. */
  passes: number;
  /** Digest of the last model list: the same list is not read again. */
  listDigest: string;
  /** Context windows by the upstream's name of the model, in tokens, as the endpoint last said. */
  windows: ReadonlyMap<string, number>;
};
