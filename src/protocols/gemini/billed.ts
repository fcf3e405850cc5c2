// Counts what the vendor bills besides tokens: generated images, and searches that ground an answer
// (https://ai.google.dev/gemini-api/docs/google-search#pricing).

import type { UsageReport } from '../../usage/counts.ts';
import { isObject, listOf, member, objectOf, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { familyOf } from './target.ts';

/** An answer has few queries. More are not counted. */
const queriesMax = 1000;

export class Billed {
  #images = 0;
  readonly #queries = new Set<string>();
  #usesMaps = false;

  /** Reads the candidate of an answer, or of an event of a stream. */
  read(candidate: JsonObject): void {
    const content = objectOf(candidate, 'content');
    for (const part of content === null ? [] : listOf(content, 'parts')) {
      if (isObject(part) && isImage(part)) this.#images++;
    }
    const grounding = objectOf(candidate, 'groundingMetadata');
    if (grounding === null) return;
    for (const query of listOf(grounding, 'webSearchQueries')) {
      if (typeof query === 'string' && this.#queries.size < queriesMax) this.#queries.add(query);
    }
    const chunks = listOf(grounding, 'groundingChunks');
    if (chunks.some((chunk) => isObject(chunk) && objectOf(chunk, 'maps') !== null)) {
      this.#usesMaps = true;
    }
  }

  /** Up to Gemini 2.5, an answer costs one search however many queries it needed. */
  addTo(report: UsageReport | null, model: string): UsageReport | null {
    if (report === null) return null;
    const queries = this.#queries.size;
    const searches = familyOf(model) === 'level' ? queries : Math.min(1, queries);
    const calls = {
      ...(searches > 0 && { web_search: searches }),
      ...(this.#usesMaps && { google_maps: 1 }),
    };
    return {
      ...report,
      units: this.#images === 0 ? null : { output_images: this.#images },
      serverToolCalls: Object.keys(calls).length === 0 ? null : calls,
    };
  }
}

/** Drafts of a thinking model are not results. */
function isImage(part: JsonObject): boolean {
  const data = objectOf(part, 'inlineData');
  const type = data === null ? null : textOf(data, 'mimeType');
  return type?.startsWith('image/') === true && member(part, 'thought') !== true;
}
