/** The worker of a page: answers what its gateway is asked, one message for each. Bundled for browsers as a script of its own. */
import { PmError } from '../pmapi/index.js';
import { openGiven, type GivenFile } from './open-given.js';
import { PageGateway, type PageCall } from './page-gateway.js';

/** What the bundle has of the package: the version, and the files of derived metrics. */
declare const SHIPPED: { readonly version: string; readonly definitions: readonly string[] };
declare function postMessage(message: unknown): void;
declare function addEventListener(type: 'message', listener: (event: { readonly data: Ask }) => void): void;

/** What a page asks for, by a number that the answer repeats: to open files, to answer a call, or to end one of these. */
type Ask = { readonly id: number } & (
  { readonly files: readonly GivenFile[] } | { readonly call: PageCall } | { readonly isOver: true }
);

const gateway = new PageGateway(SHIPPED.definitions, SHIPPED.version);
const underWay = new Map<number, AbortController>();

addEventListener('message', ({ data: ask }) => {
  const { id } = ask;
  if ('isOver' in ask) {
    underWay.get(id)?.abort(new PmError(-4, 'cancelled'));
    return;
  }
  const controller = new AbortController();
  underWay.set(id, controller);
  const { signal } = controller;
  const onProgress = (progress: object): void => postMessage({ id, progress });
  const work: Promise<unknown> =
    'call' in ask
      ? gateway.answer(ask.call, signal)
      : openGiven(ask.files, { signal, onProgress }).then((files) => gateway.add(files));
  work
    .then(
      (result) => postMessage({ id, result }),
      (error: unknown) => postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => underWay.delete(id));
});
