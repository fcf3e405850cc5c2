// The form of a role, and what of it is sent: a field that was not touched is not, an empty description clears it.

export type RoleDraft = Readonly<{ name: string; description: string }>;

type Role = Readonly<{ name: string; description: string | null }>;

export const blankRole: RoleDraft = { name: '', description: '' };

export const fromRole = ({ name, description }: Role): RoleDraft => ({
  name,
  description: description ?? '',
});

const descriptionOf = ({ description }: RoleDraft): string | null =>
  description.trim() === '' ? null : description.trim();

export const roleBody = (draft: RoleDraft) => ({
  name: draft.name.trim(),
  description: descriptionOf(draft),
});

export function roleChange(draft: RoleDraft, role: Role) {
  const { name, description } = roleBody(draft);
  return {
    ...(name === role.name ? {} : { name }),
    ...(description === role.description ? {} : { description }),
  };
}
