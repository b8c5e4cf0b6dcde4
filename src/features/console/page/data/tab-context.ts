import type { GatewayContext, PmgateClient } from '../../../../client/index.js';
import type { Definition } from '../state/url-state.js';
import { client, whereOf } from './gateway.js';

/** The client or context that reads a source, and the parameters that name it. */
export interface Reader {
  readonly reads: Pick<PmgateClient, 'columns' | 'indom' | 'metrics'>;
  readonly where: { readonly hostspec?: string; readonly archive?: string };
  /** The same for requests that name the context, too. */
  readonly place: () => { readonly hostspec?: string; readonly archive?: string; readonly context?: number };
}

/** The maximum number of contexts; the least recently used are destroyed. */
const MOST_CONTEXTS = 4;
const SEPARATOR = '\n';
/** A tab may be idle for minutes between two requests; contexts that expired would be errors in the browser's console. */
const KEPT_SEC = 300;
const contexts = new Map<string, Promise<GatewayContext>>();

/** A source with the derived metrics of the view, as one text; the source itself without any. */
export function sourceWith(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0) return source;
  return `${source}${SEPARATOR}${definitions.map(({ name, expression }) => `${name} = ${expression.replaceAll(/\s+/g, ' ')}`).join(SEPARATOR)}`;
}

/** The source that such a text is about. */
export function plainSource(source: string): string {
  return source.split(SEPARATOR, 1)[0]!;
}

/** What reads a source: the client, or where it comes with definitions a context that has them. */
export async function readerOf(source: string): Promise<Reader> {
  const plain = plainSource(source);
  if (plain === source) return { reads: client, where: whereOf(source), place: () => whereOf(source) };
  const known = contexts.get(source);
  const made = known ?? makeContext(plain, source.slice(plain.length + 1));
  contexts.delete(source);
  contexts.set(source, made);
  for (const oldest of [...contexts.keys()].slice(0, -MOST_CONTEXTS)) forget(oldest);
  try {
    const context = await made;
    return { reads: context, where: {}, place: () => ({ context: context.id }) };
  } catch (error) {
    contexts.delete(source);
    throw error;
  }
}

async function makeContext(source: string, definitions: string): Promise<GatewayContext> {
  const context = await client.context({ ...whereOf(source), polltimeout: KEPT_SEC });
  try {
    await context.derive(definitions);
    return context;
  } catch (error) {
    void context.destroy().catch(() => undefined);
    throw error;
  }
}

function forget(source: string): void {
  const context = contexts.get(source);
  contexts.delete(source);
  void context?.then((made) => made.destroy()).catch(() => undefined);
}
