import type { ContextAnswer, ContextDescription, DerivedCheck, ModeAnswer } from './answers.js';
import type { Call, CallOptions } from './call.js';
import type { ClientSettings } from './client-options.js';
import { checkExpression } from './derived-definitions.js';
import type { Connection, OpenAnswer } from './connection.js';
import { expectAnswer } from './expect-answer.js';
import { callBelow, MetricReads, readCall, type PmapiCall } from './metric-reads.js';
import { PmgateError } from './pmgate-error.js';
import type { CheckMoment, ContextRequest, ModeRequest, ProfileRequest } from './requests.js';

/** A change of a context that is repeated when the context is recreated. */
interface Change {
  readonly operation: 'derive' | 'profile';
  readonly parameters: Call['parameters'] & {};
}

/**
 * A private context on a source: with its own instance profile, its own derived metrics and, on an archive, its own position.
 *
 * It expires when it is not used for a while. The next call then recreates it, with its derived metrics and its profile. A
 * context that has moved along an archive is not recreated: its position is unknown, and starting over would go unnoticed; its
 * calls fail with UNKNOWN_CONTEXT, and {@link renew} starts it over on purpose. @see pmNewContext(3)
 */
export class GatewayContext extends MetricReads<object> {
  readonly #connection: Connection;
  readonly #request: ContextRequest;
  readonly #changes: Change[] = [];
  #info: ContextAnswer;
  #renewals = 0;
  #renewing: Promise<void> | undefined;
  #hasMoved = false;
  #isDestroyed = false;

  private constructor(connection: Connection, request: ContextRequest, info: ContextAnswer) {
    super();
    this.#connection = connection;
    this.#request = request;
    this.#info = info;
  }

  /** Creates a context; {@link PmgateClient.context} calls it. */
  static async make(connection: Connection, request: ContextRequest): Promise<GatewayContext> {
    return new GatewayContext(connection, request, await newContext(connection, request));
  }

  /** The number of the context; it changes when the context is recreated. */
  get id(): number {
    return this.#info.context;
  }

  /** The gateway's response when the context was created. */
  get info(): ContextAnswer {
    return this.#info;
  }

  /** How often the context was recreated. */
  get renewals(): number {
    return this.#renewals;
  }

  /** The current state of the context; restarts its timer. */
  describe(options?: CallOptions): Promise<ContextDescription> {
    return this.#renewed((context) => this.#connection.ask('ContextDescription', 'GET', `/pmapi/${context}`, options));
  }

  /** Defines a derived metric in this context. @see pmAddDerived(3) */
  derive(name: string, expression: string, options?: CallOptions): Promise<void>;
  /** Defines derived metrics in this context: lines of `name = expression`, all of them or none. */
  derive(definitions: string, options?: CallOptions): Promise<void>;
  async derive(first: string, second?: string | CallOptions, third?: CallOptions): Promise<void> {
    const isNamed = typeof second === 'string';
    const parameters = isNamed ? { name: first, expr: second } : { expr: first };
    await this.#change({ operation: 'derive', parameters }, isNamed ? third : second);
  }

  /** Checks an expression in this context, without defining it. */
  check(expression: string, options: CheckMoment & CallOptions = {}): Promise<DerivedCheck> {
    return this.#renewed((context) => checkExpression(this.#connection, { ...options, expr: expression, context }));
  }

  /** Changes which instances fetches return. @see pmAddProfile(3) */
  async profile(request: ProfileRequest): Promise<void> {
    const { signal, timeoutMs, ...parameters } = request;
    await this.#change({ operation: 'profile', parameters: { ...parameters } }, { signal, timeoutMs });
  }

  /** Sets the position and the mode of fetches from an archive. @see pmSetMode(3) */
  async mode(request: ModeRequest): Promise<ModeAnswer> {
    const call = readCall('mode', '', request, undefined);
    return expectAnswer(await this.json({ ...call, method: 'POST', moves: true }), 'Mode');
  }

  /** Recreates the context: on the same source, with its derived metrics and its profile; an archive starts over. */
  async renew(): Promise<void> {
    this.#isDestroyed = false;
    await this.#makeAgain();
  }

  /** Destroys the context; it is not recreated. */
  async destroy(options?: CallOptions): Promise<void> {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    try {
      await this.#connection.json({ method: 'DELETE', path: `/pmapi/${this.id}`, ...options });
    } catch (error) {
      if (!isUnknownContext(error)) throw error;
    }
  }

  protected get settings(): ClientSettings {
    return this.#connection.settings;
  }

  protected json(call: PmapiCall): Promise<unknown> {
    return this.#moved(
      call,
      this.#renewed((context) => this.#connection.json(callBelow(`/pmapi/${context}`, call))),
    );
  }

  protected open(call: PmapiCall): Promise<OpenAnswer> {
    return this.#renewed((context) => this.#connection.open(callBelow(`/pmapi/${context}`, call)));
  }

  async #moved<T>(call: PmapiCall, answer: Promise<T>): Promise<T> {
    const answered = await answer;
    if (call.moves === true && this.#info.kind === 'archive') this.#hasMoved = true;
    return answered;
  }

  async #change(change: Change, options: CallOptions | undefined): Promise<void> {
    await this.json({ method: 'POST', ...change, ...options });
    this.#remember(change);
  }

  /** Repeating a change replaces the earlier one: only the last counts. */
  #remember(change: Change): void {
    const text = JSON.stringify(change);
    const before = this.#changes.findIndex((other) => JSON.stringify(other) === text);
    if (before >= 0) this.#changes.splice(before, 1);
    this.#changes.push(change);
  }

  async #renewed<T>(run: (context: number) => Promise<T>): Promise<T> {
    const { id } = this;
    try {
      return await run(id);
    } catch (error) {
      if (!isUnknownContext(error) || this.#hasMoved || this.#isDestroyed) throw error;
      // Another call may have recreated it meanwhile.
      if (this.id === id) await this.#makeAgain();
      return await run(this.id);
    }
  }

  /** All calls that find the context gone wait for the same new one. */
  #makeAgain(): Promise<void> {
    this.#renewing ??= this.#replace().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #replace(): Promise<void> {
    const info = await newContext(this.#connection, { ...this.#request, signal: undefined });
    for (const { operation, parameters } of this.#changes) {
      await this.#connection.json({ method: 'POST', path: `/pmapi/${info.context}/${operation}`, parameters });
    }
    this.#info = info;
    this.#hasMoved = false;
    this.#renewals++;
  }
}

function newContext(connection: Connection, request: ContextRequest): Promise<ContextAnswer> {
  return connection.ask('Context', 'POST', '/pmapi/context', request);
}

function isUnknownContext(error: unknown): boolean {
  return error instanceof PmgateError && error.code === 'UNKNOWN_CONTEXT';
}
