// Groups the changes that are marked on the time axis of a chart.

/** `at` is in epoch milliseconds. */
export type Marker = Readonly<{ id: number; at: number; text: string; about: string }>;

/** The visible times and the width of the axis in pixels. */
export type Axis = Readonly<{ since: number; until: number; width: number }>;

export type MarkerGroup = Readonly<{
  /** In pixels from the left end of the axis. */
  x: number;
  /** Oldest first. */
  members: readonly Marker[];
}>;

/** Marks need a distance at which each can be pressed. */
const distancePx = 24;

/** A change after the last value is at the right end. Changes before the first one are left out. */
export function groupsOn(
  { since, until, width }: Axis,
  markers: readonly Marker[],
): readonly MarkerGroup[] {
  const groups: { x: number; members: Marker[] }[] = [];
  const span = Math.max(1, until - since);
  for (const marker of markers.toSorted((one, other) => one.at - other.at)) {
    if (marker.at < since) continue;
    const x = Math.round((width * (Math.min(marker.at, until) - since)) / span);
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < distancePx) last.members.push(marker);
    else groups.push({ x, members: [marker] });
  }
  return groups;
}
