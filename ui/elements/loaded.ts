// Draws data of the server: a skeleton while it loads, an error with a retry, or the data.

import { html, nothing } from 'lit';

import type { ApiFailure } from '../api/http/failure.ts';
import { stageOf } from '../lib/page/stage.ts';
import './error.ts';
import type { Resource } from './resource.ts';
import './skeleton.ts';

type Options = Readonly<{
  /** Without it an empty list is drawn. */
  empty?: () => unknown;
}>;

export const failureNotice = (resource: {
  failure: ApiFailure | null;
  reload: () => Promise<void>;
}) =>
  html`<gw-error
    retriable
    .failure=${resource.failure}
    @gw-retry=${() => resource.reload()}
  ></gw-error>`;

/** Draws nothing below a failed first load. */
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
