// Lists the settings of the prompt classifier.

import { define, text } from './setting.ts';

export const classifierSettings = {
  classifierModel: define({
    flag: '--classifier-model',
    variable: 'GW_CLASSIFIER_MODEL',
    schema: text,
    fallback: null,
    description:
      'directory of a model2vec model for the fast tier of prompt classes; default the built-in model',
  }),
  classifierRefinedModel: define({
    flag: '--classifier-refined-model',
    variable: 'GW_CLASSIFIER_REFINED_MODEL',
    schema: text,
    fallback: null,
    description:
      'directory of an ONNX sentence encoder for the refined tier; without it, only the fast tier decides',
  }),
  classifierRefinedRuntime: define({
    flag: '--classifier-refined-runtime',
    variable: 'GW_CLASSIFIER_REFINED_RUNTIME',
    schema: text,
    fallback: 'onnxruntime-node',
    description:
      'runtime of that encoder: an installed package or the path of a module with the same interface',
  }),
} as const;
