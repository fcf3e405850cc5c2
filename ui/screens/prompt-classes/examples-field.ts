// The fields of a form that take examples: room to paste many prompts and their labels into.

export const examplesField = {
  name: 'examples',
  label: 'Examples',
  type: 'textarea',
  tall: true,
  placeholder: 'Paste prompts here, one a line',
} as const;

export const labelsField = {
  name: 'labels',
  label: 'Labels',
  type: 'textarea',
  placeholder: 'One label a line, in the order of the examples',
  hint: 'Optional. Lists and evaluations show them in place of the texts. Labels are not encrypted: do not enter personal data',
} as const;

/** How they are told apart: the end of the field's hint. */
export const pastedHint = 'With blank lines between them, a prompt may have several lines';
