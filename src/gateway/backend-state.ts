// The state of a backend and of its endpoint, which a proxy keeps across snapshot versions.

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
  /** Identifies the endpoint in this process, from 1. */
  readonly uid: number;
  /** The backend of the newest generation. Its credential may be a renewed access token. */
  backend: CompiledBackend;
  readonly endpoint: EndpointState;
  inFlight: number;
  requests: number;
  errors: number;
  health: Traffic;
  ejections: number;
  restsUntilMs: number;
  cooldown: Cooldown;
  coolsUntilMs: number;
  engine: EngineReading | null;
  /** Null until flow control is first enabled. */
  admission: Admission | null;
  latencyMs: number | null;
  /** True once a 404 has shown that it supports chat but not the Responses API. */
  lacksResponses: boolean;
  readonly durations: Durations;
};

export type EndpointState = {
  readonly identity: string;
  /** A backend of the newest generation. Its credential may have been renewed. */
  backend: CompiledBackend;
  tuning: Tuning;
  /** Those of the newest generation. */
  backends: BackendState[];
  reach: Reach;
  passes: number;
  /** The digest of the last model list. An unchanged list is not parsed again. */
  listDigest: string;
  /** In tokens, by upstream model name, as the endpoint last reported them. */
  windows: ReadonlyMap<string, number>;
};
