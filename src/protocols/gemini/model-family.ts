// What a model understands, out of its name, since the API refuses what one does not and has no way to
// ask (https://ai.google.dev/gemini-api/docs/thinking). A name that is not known is taken for a new one.

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
