// Condition on the class of the prompt: the named class, or one that refines it.

import { condition } from './condition.ts';

export const promptClass = condition({
  id: 'class',
  label: 'Prompt class',
  effort: 2,
  fields: { class: { type: 'class', label: 'Prompt class' } },
  compile: ({ class: named }, { classReach }) => {
    if (named === null) return null;
    const classes = classReach(named);
    return {
      holds: ({ request: { promptClass } }) => promptClass !== null && classes.has(promptClass),
      failed: () => ['class'],
      questions: [
        { key: JSON.stringify(['class', ...classes]), fields: ['class'], answeredBy: 'classes' },
      ],
      namedClass: named,
    };
  },
  phrases: ({ class: name }) => (name === null ? [] : [{ text: `class ${name}` }]),
  matched: ({ prompt_class: name }) => name ?? 'no class',
});
