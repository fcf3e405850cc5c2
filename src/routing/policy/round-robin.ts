// The policy that takes the backends of a model in turn. One that is resting is passed over and
// used only when no other is left, because a last resort is better than no attempt.

/** A backend rests until then after transport failures; 0 when it does not. */
export type Restable = Readonly<{ restsUntilMs: number }>;

/** `turn` counts the requests of the model; undefined when every backend has been tried. */
export function pickRoundRobin<Backend extends Restable>(
  backends: readonly Backend[],
  tried: readonly Backend[],
  turn: number,
  nowMs: number,
): Backend | undefined {
  let resting: Backend | undefined;
  for (let step = 0; step < backends.length; step++) {
    const backend = backends[(turn + step) % backends.length];
    if (backend === undefined || tried.includes(backend)) continue;
    if (backend.restsUntilMs <= nowMs) return backend;
    resting ??= backend;
  }
  return resting;
}
