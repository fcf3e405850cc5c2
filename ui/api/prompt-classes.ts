// Prompt classes and their examples.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf, QueryOf, RowOf } from './http/routes.ts';

export type PromptClass = RowOf<'/admin/prompt-classes'>;
export type PromptExample = AnswerOf<'GET', '/admin/prompt-classes/{id}/examples'>[number];
export type Evaluation = AnswerOf<'POST', '/admin/prompt-classes/evaluate'>;

export const listPromptClasses = (signal?: AbortSignal) =>
  list('/admin/prompt-classes', { signal });

export const getPromptClass = (id: number, signal?: AbortSignal) =>
  call('GET', '/admin/prompt-classes/{id}', { params: { id }, signal });

export const createPromptClass = (
  body: BodyOf<'POST', '/admin/prompt-classes'>,
  change: Change = {},
) => call('POST', '/admin/prompt-classes', { body, ...change });

export const updatePromptClass = (
  id: number,
  body: BodyOf<'PATCH', '/admin/prompt-classes/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/prompt-classes/{id}', { params: { id }, body, ...change });

export const deletePromptClass = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/prompt-classes/{id}', { params: { id }, ...change });

export const listPromptExamples = (
  id: number,
  query: QueryOf<'GET', '/admin/prompt-classes/{id}/examples'>,
  signal?: AbortSignal,
) => call('GET', '/admin/prompt-classes/{id}/examples', { params: { id }, query, signal });

export const addPromptExample = (
  id: number,
  body: BodyOf<'POST', '/admin/prompt-classes/{id}/examples'>,
  change: Change = {},
) => call('POST', '/admin/prompt-classes/{id}/examples', { params: { id }, body, ...change });

export const removePromptExample = (
  params: Readonly<{ id: number; example_id: number }>,
  change: Change = {},
) => call('DELETE', '/admin/prompt-classes/{id}/examples/{example_id}', { params, ...change });

/** The newest first. */
export const listEvaluations = async (signal?: AbortSignal): Promise<readonly Evaluation[]> =>
  (await call('GET', '/admin/prompt-classes/evaluations', { signal })).body;

/** Classifies each example as if it were not one, and stores the result on the server. */
export const evaluatePromptClasses = (signal?: AbortSignal) =>
  call('POST', '/admin/prompt-classes/evaluate', { signal });
