// Computes the first-run checklist: the steps from an empty database to the first response.

import { bearerState } from '../access/bearer.ts';

export type FirstRunFacts = Readonly<{
  providers: number;
  /** Models with a provider. */
  servedModels: number;
  frontendModels: number;
  /** Keys that are neither revoked nor expired. */
  keys: number;
  hasAnswered: boolean;
}>;

export type Step = Readonly<{
  title: string;
  about: string;
  action: string;
  screen: string;
  rest: readonly string[];
  isDone: boolean;
}>;

export function firstRun(facts: FirstRunFacts): readonly Step[] {
  return [
    {
      title: 'Connect a provider',
      about:
        'Use the service of a vendor or your own engine. gw lists its models to check the connection.',
      action: 'Create provider',
      screen: 'providers',
      rest: ['new'],
      isDone: facts.providers > 0,
    },
    {
      title: 'Register a model',
      about: 'Select the models of the provider that you want to offer.',
      action: 'Choose models',
      screen: 'providers',
      rest: [],
      isDone: facts.servedModels > 0,
    },
    {
      title: 'Create a frontend model',
      about: 'Clients send this name. Its rules decide which model answers.',
      action: 'Create frontend model',
      screen: 'frontend-models',
      rest: ['new'],
      isDone: facts.frontendModels > 0,
    },
    {
      title: 'Create an API key',
      about: 'gw shows the key once. Its principal needs a role that can invoke the model.',
      action: 'Create API key',
      screen: 'keys',
      rest: ['new'],
      isDone: facts.keys > 0,
    },
    {
      title: 'Send the first request',
      about:
        'Use the playground, or any OpenAI client with the address of the gateway and your API key.',
      action: 'Send a request',
      screen: 'playground',
      rest: [],
      isDone: facts.hasAnswered,
    },
  ];
}

/** Null once the last step is done, because that implies all others. */
export const nextStep = (steps: readonly Step[]): Step | null =>
  steps.at(-1)?.isDone === true ? null : (steps.find(({ isDone }) => !isDone) ?? null);

type Key = Parameters<typeof bearerState>[0];

export const usableKeys = (keys: readonly Key[], now: number): number =>
  keys.filter((key) => ['active', 'expiring'].includes(bearerState(key, now))).length;

type Row = Readonly<{ refusal: string | null; status: number | null }>;

/** Neither refused nor failed. */
export const hasAnswer = (rows: readonly Row[]): boolean =>
  rows.some(({ refusal, status }) => refusal === null && status !== null && status < 400);

type Sums = Readonly<{
  requests: number;
  refused_requests: number;
  upstream_success: number | null;
}>;

/**
 * For sums, which are kept longer than rows. Beyond the retention of rows only refusals are known.
 */
export const hasAnswerIn = (sums: readonly Sums[]): boolean =>
  sums.some(
    ({ requests, refused_requests: refused, upstream_success: succeeded }) =>
      (succeeded ?? requests - refused) > 0,
  );
