// Who could call what, in the words of a table.

type Granted = Readonly<{
  position: number;
  at: string;
  actor_name: string | null;
  actor_id: number | null;
}> | null;

type Way = Readonly<{
  role: string;
  resource: string;
  role_granted: Granted;
  permission_granted: Granted;
}>;

type Access = Readonly<{
  principal_id: number;
  model_id: number;
  via: readonly Way[];
  keys: readonly number[];
}>;

/** As the server names a row where a page ends. */
export const accessKey = ({ principal_id, model_id }: Access): string =>
  `${principal_id}.${model_id}`;

/** The roles by which, each once, with the wildcard where one granted it. */
export const waysText = ({ via }: Access): string =>
  [
    ...new Set(
      via.map(({ role, resource }) => (resource.endsWith('*') ? `${role} (${resource})` : role)),
    ),
  ].join(', ');

/** Since when it may, by the ways that stand: each takes a role and its permission. Null where the log does not say. */
export const grantedSince = ({ via }: Access): string | null =>
  via
    .flatMap(({ role_granted: role, permission_granted: permission }) =>
      role === null || permission === null
        ? []
        : [role.at > permission.at ? role.at : permission.at],
    )
    .toSorted()[0] ?? null;

/** Who granted, in words. */
export const grantorOf = (granted: Granted): string =>
  granted === null
    ? 'not in the log'
    : (granted.actor_name ??
      (granted.actor_id === null ? 'system' : `principal ${granted.actor_id}`));
