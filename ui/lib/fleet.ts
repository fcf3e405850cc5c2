// What the reports of replicas come to, seen together: which backends are down somewhere, and who serves an old snapshot.

type Backend = Readonly<{ api_base: string; model: string; healthy: boolean }>;
type Replica = Readonly<{ snapshot_version: number; backends: readonly Backend[] }>;

export type FleetState = Readonly<{
  replicas: number;
  /** They serve another version than the control plane published last. */
  behind: number;
  /** Each once, however many replicas see it. */
  backends: number;
  down: number;
}>;

export function fleetState(
  replicas: readonly Replica[],
  { own, version }: Readonly<{ own: readonly Backend[]; version: number | null }>,
): FleetState {
  const seen = [...own, ...replicas.flatMap(({ backends }) => backends)];
  const nameOf = ({ api_base, model }: Backend): string => `${api_base} ${model}`;
  const down = new Set(seen.filter(({ healthy }) => !healthy).map(nameOf));
  return {
    replicas: replicas.length,
    behind: replicas.filter((one) => one.snapshot_version < (version ?? 0)).length,
    backends: new Set(seen.map(nameOf)).size,
    down: down.size,
  };
}
