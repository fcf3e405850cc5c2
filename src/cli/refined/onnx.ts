// Loads onnxruntime-node, which operators install for the refined tier. It is not a dependency of
// gw.

export type OnnxTensor = Readonly<{ data: ArrayLike<number>; dims: readonly number[] }>;

export type OnnxSession = Readonly<{
  inputNames: readonly string[];
  run: (feeds: Readonly<Record<string, object>>) => Promise<Readonly<Record<string, OnnxTensor>>>;
}>;

export type OnnxRuntime = Readonly<{
  InferenceSession: Readonly<{
    create: (
      path: string,
      options: Readonly<{ intraOpNumThreads: number }>,
    ) => Promise<OnnxSession>;
  }>;
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
}>;

const isObject = (value: unknown): value is object =>
  value !== null && (typeof value === 'object' || typeof value === 'function');

export const isOnnxRuntime = (value: unknown): value is OnnxRuntime =>
  isObject(value) && 'InferenceSession' in value && 'Tensor' in value;

/** An ES import has the exports of a CommonJS module under `default`. */
export function onnxRuntimeOf(module: unknown): OnnxRuntime | null {
  if (isOnnxRuntime(module)) return module;
  const inner = isObject(module) && 'default' in module ? module.default : null;
  return isOnnxRuntime(inner) ? inner : null;
}
