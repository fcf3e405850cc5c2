// Loads the changes that the charts of a screen mark.

import type { ReactiveControllerHost } from 'lit';

import { listCommands } from '../api/history.ts';
import type { Command } from '../api/history.ts';
import { Resource } from '../elements/resource.ts';
import type { Marker } from '../lib/observe/markers.ts';
import { edgesOf, writeRange } from '../lib/page/range.ts';
import type { Range } from '../lib/page/range.ts';
import { subjectWords } from '../lib/history/history.ts';

/** The newest changes of the range. Older ones are not marked. */
const commandsMax = 1_000;

/** Changes that affect where requests go, how fast they are and what they cost. */
export const routingKinds = [
  'provider',
  'model',
  'frontend_model',
  'pool',
  'prompt_class',
  'settings',
] as const;

type Asked = Readonly<{
  range: () => Range;
  /** The kinds of changed records. */
  kinds: readonly string[];
}>;

export class ChangeMarkers {
  readonly #markers: Resource<readonly Marker[]>;

  constructor(host: ReactiveControllerHost, { range, kinds }: Asked) {
    this.#markers = new Resource(host, (signal) => load({ range, kinds }, signal), {
      pollMs: 30_000,
      pausable: true,
      question: () => writeRange(range()),
    });
  }

  /** Without an answer there are none: the charts are useful without them. */
  get shown(): readonly Marker[] {
    return this.#markers.value ?? [];
  }
}

async function load({ range, kinds }: Asked, signal: AbortSignal): Promise<readonly Marker[]> {
  const { since, until } = edgesOf(range(), Date.now());
  const [from, to] = [since, until].map((at) => new Date(at).toISOString());
  const { body } = await listCommands({ from, to, limit: commandsMax }, signal);
  return body
    .filter(({ subject }) => kinds.some((kind) => subject.stream.startsWith(`${kind}-`)))
    .map(markerOf);
}

const markerOf = ({
  id,
  at,
  summary,
  subject,
  actor_name,
  actor_kind,
  reason,
}: Command): Marker => ({
  id,
  at: Date.parse(at),
  text: summary,
  about: [
    subject.name !== null && summary.includes(subject.name) ? '' : subjectWords(subject),
    actor_name ?? actor_kind,
    reason ?? '',
  ]
    .filter((part) => part !== '')
    .join(', '),
});
