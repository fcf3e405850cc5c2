// The last two evaluations of prompt classes, kept in this browser so that the next can be compared. They hold names and figures, and no
// example.

import { createStore } from '../lib/store.ts';
import type { Store } from '../lib/store.ts';
import { readEvaluations } from '../lib/evaluation.ts';
import type { Evaluations } from '../lib/evaluation.ts';

const name = 'gw-evaluations';

export const evaluations: Store<Evaluations> = createStore(readEvaluations(kept()));

function kept(): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

evaluations.subscribe((value) => {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still compares until the page is left.
  }
});
