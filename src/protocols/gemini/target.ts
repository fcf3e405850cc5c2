// Derives what a model and its endpoint support from their names, because they reject unsupported
// parameters and cannot be queried (https://ai.google.dev/gemini-api/docs/thinking). An unknown
// model counts as a new one.

export type Target = Readonly<{
  family: ModelFamily;
  /** Vertex AI rejects call ids, and may not support every function calling mode. */
  isVertex: boolean;
}>;

/** On Vertex AI, models are below a project or a publisher. */
export const targetOf = (model: string, basePath: string): Target => ({
  family: familyOf(model),
  isVertex: /\/(?:projects|publishers)\//.test(`${basePath}/`),
});

/**
 * `plain` models do not think. `budget` models (Gemini 2.5) take a number of thinking tokens.
 * `level` models (Gemini 3 and later) take an effort and require signatures.
 */
export type ModelFamily = 'plain' | 'budget' | 'level';

export function familyOf(model: string): ModelFamily {
  if (/gemma|learnlm/.test(model)) return 'plain';
  const version = /gemini-(\d+)(?:\.(\d+))?/.exec(model);
  if (version === null) return 'level';
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  if (major > 2) return 'level';
  return major === 2 && minor >= 5 ? 'budget' : 'plain';
}
