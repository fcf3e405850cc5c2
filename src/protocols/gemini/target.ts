// What a model and its endpoint understand, out of their names, since they refuse what they do not and have
// no way to ask (https://ai.google.dev/gemini-api/docs/thinking). A model that is not known is taken for a new one.

export type Target = Readonly<{
  family: ModelFamily;
  /** Vertex AI refuses the ids of calls, and is not known to take every mode of calling. */
  isVertex: boolean;
}>;

/** Vertex AI lies below a project, or below a publisher of models. */
export const targetOf = (model: string, basePath: string): Target => ({
  family: familyOf(model),
  isVertex: /\/(?:projects|publishers)\//.test(`${basePath}/`),
});

/**
 * `plain` models do not think; `budget` ones, of Gemini 2.5, are told how many tokens to think with;
 * `level` ones, from Gemini 3 on, how hard, and want their signatures back.
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
