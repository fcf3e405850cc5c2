// What stands for something of the server, in the one way of all screens: what goes wrong is said with a way to try again, what is on
// its way is a skeleton, and what has come is drawn.

import { html, nothing } from 'lit';

import type { ApiFailure } from '../api/http/failure.ts';
import { stageOf } from '../lib/page/stage.ts';
import './error.ts';
import type { Resource } from './resource.ts';
import './skeleton.ts';

type Options = Readonly<{
  /** In the place of a list without rows; without it the list is drawn all the same. */
  empty?: () => unknown;
}>;

/** Beside what it is about; nothing while all is well. */
export const troubleOf = (resource: { failure: ApiFailure | null; reload: () => Promise<void> }) =>
  html`<gw-error
    retriable
    .failure=${resource.failure}
    @gw-retry=${() => resource.reload()}
  ></gw-error>`;

/** What has come, or what stands in its place until then. Below a failure of the first attempt there is nothing. */
export function loaded<Value>(
  resource: Pick<Resource<Value>, 'value' | 'failure'>,
  draw: (value: Value) => unknown,
  { empty }: Options = {},
): unknown {
  const stage = stageOf(resource);
  if (stage === 'loading') return html`<gw-skeleton></gw-skeleton>`;
  if (resource.value === undefined) return nothing;
  return stage === 'empty' && empty !== undefined ? empty() : draw(resource.value);
}
