// Maps the scheduler metrics of engines to the number of running and waiting requests, in total and per model. Every name
// comes from the engine's documentation or output; docs/guides/model-servers.md lists them.

import { samplesIn } from './exposition.ts';
import type { Sample } from './exposition.ts';

export type EngineRequests = Readonly<{ running: number; waiting: number }>;

export type EnginePage = Readonly<{
  total: EngineRequests;
  /** By the engine's name of the model. Empty when it names none. */
  byModel: ReadonlyMap<string, EngineRequests>;
  /** If true, an unlisted model has no data; if false, the total applies to it. */
  isByModelAlone: boolean;
  /**
   * Changes between two pages while the engine makes progress. Null when there are no such counters, or they change
   * only at the end of a request.
   */
  progress: string | null;
}>;

type State = keyof EngineRequests;
type Meaning = Readonly<{
  engine: string;
  state: State | 'progress';
  /** Matches only samples with this label. */
  where?: readonly [label: string, value: string];
}>;
type Engine = Readonly<{
  running: readonly string[];
  waiting: readonly string[];
  /** Counters that change with every step, and cache usage, which grows while a long prompt is processed. */
  progress?: readonly string[];
}>;

/** In order of preference. A breakdown of a gauge by reason is another metric and is never added. */
const engines: Readonly<Record<string, Engine>> = {
  vllm: {
    running: ['vllm:num_requests_running'],
    waiting: ['vllm:num_requests_waiting', 'vllm:num_requests_swapped'],
    progress: [
      'vllm:prompt_tokens_total',
      'vllm:generation_tokens_total',
      'vllm:kv_cache_usage_perc',
      'vllm:gpu_cache_usage_perc',
    ],
  },
  'vllm under ray': {
    running: ['ray_vllm_num_requests_running'],
    waiting: ['ray_vllm_num_requests_waiting', 'ray_vllm_num_requests_swapped'],
  },
  sglang: { running: ['sglang:num_running_reqs'], waiting: ['sglang:num_queue_reqs'] },
  tgi: { running: ['tgi_batch_current_size'], waiting: ['tgi_queue_size'] },
  'llama.cpp': {
    running: ['llamacpp:requests_processing'],
    waiting: ['llamacpp:requests_deferred'],
  },
  'trtllm-serve': {
    running: ['trtllm_num_requests_running'],
    waiting: ['trtllm_num_requests_waiting'],
  },
  lmdeploy: {
    running: ['lmdeploy:num_requests_running'],
    waiting: ['lmdeploy:num_requests_waiting', 'lmdeploy:num_api_requests_waiting'],
  },
};

/** Triton distinguishes the states of a request by a label. */
const triton = 'nv_trt_llm_request_metrics';
const tritonStates: readonly Meaning[] = [
  { engine: 'triton', state: 'running', where: ['request_type', 'scheduled'] },
  { engine: 'triton', state: 'waiting', where: ['request_type', 'waiting'] },
];

const meaningsOf = (engine: string, state: Meaning['state'], names: readonly string[]) =>
  names.map((name): [string, readonly Meaning[]] => [name, [{ engine, state }]]);

const meanings: ReadonlyMap<string, readonly Meaning[]> = new Map([
  ...Object.entries(engines).flatMap(([engine, { running, waiting, progress = [] }]) =>
    [
      meaningsOf(engine, 'running', running),
      meaningsOf(engine, 'waiting', waiting),
      meaningsOf(engine, 'progress', progress),
    ].flat(),
  ),
  [triton, tritonStates],
]);

const order: readonly string[] = [...Object.keys(engines), 'triton'];

/** The labels that may contain the model name. */
const modelLabels = ['model_name', 'model'] as const;

type Sums = {
  total: { running: number; waiting: number };
  byModel: Map<string, { running: number; waiting: number }>;
  hasState: boolean;
  progress: string[];
};

/** Null when the page has no scheduler metrics. */
export function readEnginePage(text: string): EnginePage | null {
  const found = new Map<string, Sums>();
  for (const sample of samplesIn(text, (name) => meanings.has(name))) {
    for (const { engine, state, where } of meanings.get(sample.name) ?? []) {
      if (where !== undefined && sample.labels.get(where[0]) !== where[1]) continue;
      const sums = found.get(engine) ?? noSums();
      found.set(engine, sums);
      if (state === 'progress') sums.progress.push(`${sample.name} ${sample.value}`);
      else addTo(sums, state, sample);
    }
  }
  const engine = order.find((name) => found.get(name)?.hasState === true);
  const sums = engine === undefined ? undefined : found.get(engine);
  if (sums === undefined) return null;
  const { total, byModel, progress } = sums;
  const moved = progress.length === 0 ? null : progress.join('\n');
  return { total, byModel, isByModelAlone: false, progress: moved };
}

const noSums = (): Sums => ({
  total: { running: 0, waiting: 0 },
  byModel: new Map(),
  hasState: false,
  progress: [],
});

/** Sums the metric over all labels: an engine has one line per rank and model. */
function addTo(sums: Sums, state: State, { labels, value }: Sample): void {
  const requests = Math.max(0, Math.round(value));
  sums.hasState = true;
  sums.total[state] += requests;
  const model = modelLabels.map((name) => labels.get(name)).find((name) => name !== undefined);
  if (model === undefined) return;
  const own = sums.byModel.get(model) ?? { running: 0, waiting: 0 };
  sums.byModel.set(model, own);
  own[state] += requests;
}

/** Merges the pages of single models. A null page means that no request runs in the model. Null when all pages are null. */
export function pageOfModels(pages: ReadonlyMap<string, EnginePage | null>): EnginePage | null {
  if ([...pages.values()].every((page) => page === null)) return null;
  const sums = noSums();
  for (const [model, page] of pages) {
    const { running, waiting } = page?.total ?? { running: 0, waiting: 0 };
    sums.byModel.set(model, { running, waiting });
    sums.total.running += running;
    sums.total.waiting += waiting;
  }
  return { total: sums.total, byModel: sums.byModel, isByModelAlone: true, progress: null };
}

/** Null when the page does not include the model. */
export const requestsOf = (page: EnginePage, upstreamModel: string): EngineRequests | null =>
  page.byModel.get(upstreamModel) ?? (page.isByModelAlone ? null : page.total);
