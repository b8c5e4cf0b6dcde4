import type { DerivedCheck, DerivedDefinition, DerivedEntry, DerivedFunction, Schemas } from './answers.js';
import type { CallOptions } from './call.js';
import type { Connection } from './connection.js';
import { expectAnswer } from './expect-answer.js';
import type { CheckMoment, Where } from './requests.js';

/** The global derived metrics of a gateway, which every context sees. @see pmRegisterDerived(3) */
export class DerivedDefinitions {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Those at or below a node of the namespace, of one origin; with `context`, those visible in the context. */
  async list(
    options: {
      readonly prefix?: string | undefined;
      readonly origin?: Schemas['DerivedOrigin'] | undefined;
      readonly context?: number | undefined;
    } & CallOptions = {},
  ): Promise<DerivedEntry[]> {
    const { signal, timeoutMs, ...parameters } = options;
    const answer = await this.#connection.json({
      method: 'GET',
      path: '/derived',
      parameters,
      isRead: true,
      signal,
      timeoutMs,
    });
    return expectAnswer(answer, 'DerivedList').derived;
  }

  /** One definition; with `hostspec` or `context`, also its binding there. */
  async get(name: string, options: Omit<Where, 'archive'> & CallOptions = {}): Promise<DerivedDefinition> {
    const { signal, timeoutMs, ...parameters } = options;
    const answer = await this.#connection.json({
      method: 'GET',
      path: pathOf(name),
      parameters,
      isRead: true,
      signal,
      timeoutMs,
    });
    return expectAnswer(answer, 'DerivedDefinition');
  }

  /** The functions of expressions. */
  async functions(options?: CallOptions): Promise<DerivedFunction[]> {
    const answer = await this.#connection.json({ method: 'GET', path: '/derived/functions', isRead: true, ...options });
    return expectAnswer(answer, 'Functions').functions;
  }

  /**
   * Registers a definition. Repeating it changes nothing except the given help texts (empty: none); another definition of the
   * same name is DUPLICATE_NAME.
   */
  async register(
    name: string,
    expression: string,
    options: { readonly oneline?: string | undefined; readonly helptext?: string | undefined } & CallOptions = {},
  ): Promise<DerivedDefinition> {
    const { oneline, helptext, signal, timeoutMs } = options;
    const parameters = { expr: expression, oneline, helptext };
    const answer = await this.#connection.json({ method: 'PUT', path: pathOf(name), parameters, signal, timeoutMs });
    return expectAnswer(answer, 'DerivedDefinition');
  }

  /** Registers the definitions of a file's text: all of them, or none after an error. @see pmLoadDerivedConfig(3) */
  async load(definitions: string, options?: CallOptions): Promise<DerivedEntry[]> {
    const parameters = { expr: definitions };
    const answer = await this.#connection.json({ method: 'POST', path: '/derived', parameters, ...options });
    return expectAnswer(answer, 'DerivedList').derived;
  }

  /** Removes a definition registered over REST. */
  async unregister(name: string, options?: CallOptions): Promise<void> {
    await this.#connection.json({ method: 'DELETE', path: pathOf(name), ...options });
  }

  /**
   * The dry run: checks an expression without registering it. An invalid expression does not fail the call: `ok` is false, and
   * `errors` has what is wrong, where, and a possible repair. `tree` has the values of each part.
   */
  async check(expression: string, options: Where & CheckMoment & CallOptions = {}): Promise<DerivedCheck> {
    const { signal, timeoutMs, ...where } = options;
    const answer = await this.#connection.json({
      method: 'POST',
      path: '/derived/check',
      parameters: { expr: expression, ...where },
      isRead: true,
      signal,
      timeoutMs,
    });
    return expectAnswer(answer, 'DerivedCheck');
  }
}

/** `/derived/check` and `/derived/functions` are operations: metrics of these names are reached with their first letter encoded. */
function pathOf(name: string): string {
  const isOperation = name === 'check' || name === 'functions';
  return `/derived/${isOperation ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : encodeURIComponent(name)}`;
}
