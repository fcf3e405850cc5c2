// Defines the fields for pasted examples and their labels.

export const examplesField = {
  name: 'examples',
  label: 'Examples',
  type: 'textarea',
  tall: true,
  placeholder: 'Paste prompts here, one per line',
} as const;

export const labelsField = {
  name: 'labels',
  label: 'Labels',
  type: 'textarea',
  placeholder: 'One label per line, in the order of the examples',
  hint: 'Shown in lists and evaluations instead of the texts. Labels are not encrypted, so do not enter personal data',
} as const;

/** The end of the hint of the examples field. */
export const pastedHint = 'Separate prompts of several lines by blank lines';
