import type { Context, ContextManager } from '../../context/index.js';
import type { SourceSpec } from '../../sources/index.js';

/** A context that is made when it is needed, and again after it was closed. */
export class OwnContext {
  readonly #contexts: Pick<ContextManager, 'create' | 'destroy'>;
  readonly #spec: SourceSpec;
  readonly #onLost: () => void;
  #context: Promise<Context> | undefined;
  #release: (() => void) | undefined;

  /** @param onLost called when it was closed by others */
  constructor(
    contexts: Pick<ContextManager, 'create' | 'destroy'>,
    spec: SourceSpec,
    onLost: () => void = () => undefined,
  ) {
    this.#contexts = contexts;
    this.#spec = spec;
    this.#onLost = onLost;
  }

  /** Rejects if the source cannot be opened. */
  get(): Promise<Context> {
    this.#context ??= this.#create().catch((error: unknown) => {
      this.#context = undefined;
      throw error;
    });
    return this.#context;
  }

  close(): void {
    this.#release?.();
    this.#context = this.#release = undefined;
  }

  async #create(): Promise<Context> {
    const context = await this.#contexts.create(this.#spec, { owner: 'recorder' });
    const release = context.hold();
    const forget = context.onClose(() => {
      this.#context = this.#release = undefined;
      this.#onLost();
    });
    this.#release = () => {
      forget();
      release();
      void this.#contexts.destroy(context.id).catch(() => undefined);
    };
    return context;
  }
}
