// Reads the form of a role. Untouched fields are omitted; an empty description clears it.

import { differing, textOrNull } from '../saves/draft.ts';

export type RoleDraft = Readonly<{ name: string; description: string }>;

type Role = Readonly<{ name: string; description: string | null }>;

export const blankRole: RoleDraft = { name: '', description: '' };

export const fromRole = ({ name, description }: Role): RoleDraft => ({
  name,
  description: description ?? '',
});

export const roleBody = (draft: RoleDraft) => ({
  name: draft.name.trim(),
  description: textOrNull(draft.description),
});

export const roleChange = (draft: RoleDraft, role: Role) => differing(roleBody(draft), role);
