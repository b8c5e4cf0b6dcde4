import type { DerivedCheck, DerivedDefinition, DerivedEntry, DerivedFunction, Schemas } from './answers.js';
import type { CallOptions } from './call.js';
import type { Connection } from './connection.js';
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
    return (await this.#connection.ask('DerivedList', 'GET', '/derived', options)).derived;
  }

  /** One definition; with `hostspec` or `context`, also its binding there. */
  get(name: string, options: Omit<Where, 'archive'> & CallOptions = {}): Promise<DerivedDefinition> {
    return this.#connection.ask('DerivedDefinition', 'GET', pathOf(name), options);
  }

  async functions(options?: CallOptions): Promise<DerivedFunction[]> {
    return (await this.#connection.ask('Functions', 'GET', '/derived/functions', options)).functions;
  }

  /**
   * Registers a definition. Repeating it changes nothing except the given help texts (empty: none); another definition of the
   * same name is DUPLICATE_NAME.
   */
  register(
    name: string,
    expression: string,
    options: { readonly oneline?: string | undefined; readonly helptext?: string | undefined } & CallOptions = {},
  ): Promise<DerivedDefinition> {
    return this.#connection.ask('DerivedDefinition', 'PUT', pathOf(name), { expr: expression, ...options });
  }

  /** Registers the definitions of a file's text: all of them, or none after an error. @see pmLoadDerivedConfig(3) */
  async load(definitions: string, options?: CallOptions): Promise<DerivedEntry[]> {
    return (await this.#connection.ask('DerivedList', 'POST', '/derived', { expr: definitions, ...options })).derived;
  }

  /** Removes a definition registered over REST. */
  async unregister(name: string, options?: CallOptions): Promise<void> {
    await this.#connection.json({ method: 'DELETE', path: pathOf(name), ...options });
  }

  /**
   * The dry run: checks an expression without registering it. An invalid expression does not fail the call: `ok` is false, and
   * `errors` has what is wrong, where, and a possible repair. `tree` has the values of each part.
   */
  check(expression: string, options: Where & CheckMoment & CallOptions = {}): Promise<DerivedCheck> {
    return checkExpression(this.#connection, { expr: expression, ...options });
  }
}

/** A dry run: a POST that changes nothing. */
export function checkExpression(connection: Connection, options: object): Promise<DerivedCheck> {
  return connection.ask('DerivedCheck', 'POST', '/derived/check', options, true);
}

/** `/derived/check` and `/derived/functions` are operations: metrics of these names are reached with their first letter encoded. */
function pathOf(name: string): string {
  const isOperation = name === 'check' || name === 'functions';
  return `/derived/${isOperation ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : encodeURIComponent(name)}`;
}
