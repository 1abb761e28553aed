import { InferenceSession, Tensor } from 'onnxruntime-node';

/** A loaded model with one input. */
export interface Model {
  /** Runs on NCHW float data; answers the outputs by name, in the model's own order first. */
  run(data: Float32Array, shape: readonly [number, number, number, number]): Promise<readonly ModelOutput[]>;
  close(): Promise<void>;
}

export interface ModelOutput {
  readonly name: string;
  readonly data: Float32Array | BigInt64Array;
  readonly shape: readonly number[];
}

/**
 * Loads a model from a path or from bytes.
 * `threads`: threads of ONNX Runtime within one call. Spinning is off: idle threads would burn 1.7 times the CPU.
 */
export async function loadModel(source: string | Uint8Array, threads: number): Promise<Model> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Every page and line has its own shape: an arena sized for the largest of each would only grow.
    enableMemPattern: false,
    logSeverityLevel: 3,
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  };
  const session =
    typeof source === 'string' ? await InferenceSession.create(source, options) : await InferenceSession.create(source, options);
  const inputName = session.inputNames[0] ?? 'x';
  return {
    async run(data, shape) {
      const results = await session.run({ [inputName]: new Tensor('float32', data, shape) });
      return session.outputNames.map((name): ModelOutput => {
        const tensor = results[name];
        if (tensor === undefined) throw new Error(`the model gave no output ${name}`);
        const values = tensor.data;
        if (!(values instanceof Float32Array) && !(values instanceof BigInt64Array))
          throw new Error(`the output ${name} is of type ${tensor.type}`);
        return { name, data: values, shape: tensor.dims };
      });
    },
    close: () => session.release(),
  };
}
