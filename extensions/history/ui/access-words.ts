// Writes rows of the access review as text.

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

/** Identifies a row in the cursor of the server. */
export const accessKey = ({ principal_id, model_id }: Access): string =>
  `${principal_id}.${model_id}`;

/** Each role once, with the wildcard if one granted the access. */
export const waysText = ({ via }: Access): string =>
  [
    ...new Set(
      via.map(({ role, resource }) => (resource.endsWith('*') ? `${role} (${resource})` : role)),
    ),
  ].join(', ');

/**
 * Each way needs a role and its permission, so its later grant counts; the earliest way wins. Null
 * if the log does not contain the grants.
 */
export const grantedSince = ({ via }: Access): string | null =>
  via
    .flatMap(({ role_granted: role, permission_granted: permission }) =>
      role === null || permission === null
        ? []
        : [role.at > permission.at ? role.at : permission.at],
    )
    .toSorted()[0] ?? null;

export const grantorOf = (granted: Granted): string =>
  granted === null
    ? 'not in the log'
    : (granted.actor_name ??
      (granted.actor_id === null ? 'system' : `principal ${granted.actor_id}`));
