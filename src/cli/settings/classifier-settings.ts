// The settings that decide what prompts are classified with, a part of the settings table.

import { define, text } from './setting.ts';

export const classifierSettings = {
  classifierModel: define({
    flag: '--classifier-model',
    variable: 'GW_CLASSIFIER_MODEL',
    schema: text,
    fallback: null,
    description:
      'directory of a model2vec model for prompt classes of tier fast; the built-in one when absent',
  }),
  classifierRefinedModel: define({
    flag: '--classifier-refined-model',
    variable: 'GW_CLASSIFIER_REFINED_MODEL',
    schema: text,
    fallback: null,
    description:
      'directory of an ONNX sentence encoder for tier refined; the fast tier decides alone when absent',
  }),
  classifierRefinedRuntime: define({
    flag: '--classifier-refined-runtime',
    variable: 'GW_CLASSIFIER_REFINED_RUNTIME',
    schema: text,
    fallback: 'onnxruntime-node',
    description: 'what runs it: an installed package, or the path of a module, with its interface',
  }),
} as const;
