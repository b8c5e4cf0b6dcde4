import { ConfigError, type Config } from '../config/index.js';
import { LinkError, listenLink, MemberLink } from '../fleet/link/index.js';
import type { AnswerCall, HandedCall, LinkAnswer, ListeningLink, LinkSecurity, OnClose } from '../fleet/link/index.js';
import { endsWithin, systemTimers } from '../kit/index.js';
import type { LinkAddress, Peer } from '../fleet/index.js';
import type { Log } from '../log/index.js';

/** The link of a gateway with the others: hands calls over, and has those answered that others hand over. */
export class FleetLink {
  readonly #calls: MemberLink;
  #listening: ListeningLink | undefined;
  #answer: AnswerCall | undefined;
  #onAnswer: (() => void)[] = [];
  readonly #underWay = new Set<Promise<unknown>>();

  private constructor(calls: MemberLink) {
    this.#calls = calls;
  }

  /** Undefined where no port is configured. Rejects with ConfigError where it cannot listen. */
  static async open(
    { linkHost: host, linkPort: port }: Config['cluster'],
    name: string,
    security: LinkSecurity | undefined,
    log: Log,
  ): Promise<FleetLink | undefined> {
    if (port === null || !security) return undefined;
    const common = { name, security, warn: log.warn.bind(log) };
    const link = new FleetLink(new MemberLink(common));
    const at = { host, port };
    try {
      link.#listening = await listenLink({ ...common, at }, (call, onClose) => link.#answerCall(call, onClose));
    } catch (cause) {
      const message = `cannot listen on ${host} port ${port}: ${(cause as Error).message}`;
      throw new ConfigError([{ source: 'configuration', option: 'cluster.linkPort', message }]);
    }
    return link;
  }

  get address(): LinkAddress | undefined {
    return this.#listening?.address;
  }

  /** What answers calls from now on; those that came before wait for the first of these. */
  answerWith(answer: AnswerCall): void {
    this.#answer = answer;
    for (const wake of this.#onAnswer.splice(0)) wake();
  }

  /** Finishes the calls in progress, for a limited time; new ones are answered by the other function. */
  async finish(answer: AnswerCall, limitMs: number): Promise<void> {
    this.answerWith(answer);
    await endsWithin(limitMs, systemTimers, Promise.allSettled(this.#underWay));
  }

  /** Has another gateway answer a call; undefined if it did not get it. Rejects with LinkError if it may have got it. */
  async hand(call: HandedCall, to: Peer, onClose: OnClose): Promise<LinkAnswer | undefined> {
    try {
      return await this.#calls.call(to, call, onClose);
    } catch (error) {
      if (error instanceof LinkError && !error.isSent) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#calls.close();
    await this.#listening?.close();
  }

  async #answerCall(call: HandedCall, onClose: OnClose): Promise<LinkAnswer> {
    if (!this.#answer) await new Promise<void>((resolve) => this.#onAnswer.push(resolve));
    const answering = this.#answer!(call, onClose);
    this.#underWay.add(answering);
    try {
      return await answering;
    } finally {
      this.#underWay.delete(answering);
    }
  }
}
