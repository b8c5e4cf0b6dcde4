import { readFileSync } from 'node:fs';
import type { Config } from '../config/index.js';
import { LinkError, listenLink, MemberLink } from '../fleet/link/index.js';
import type {
  AnswerCall,
  HandedCall,
  LinkAddress,
  LinkAnswer,
  ListeningLink,
  LinkSecurity,
  OnClose,
} from '../fleet/link/index.js';
import { systemTimers } from '../kit/index.js';
import type { Log } from '../log/index.js';

/** Another gateway of the fleet, by the name that it gives itself. */
interface Reached {
  readonly id: string;
  readonly link: LinkAddress;
}

/** How many times longer than those of other machines processes of this one may be silent. */
const PATIENCE_HERE = 15;

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

  /** Undefined where no port is configured. Rejects where it cannot listen, or a file cannot be read. */
  static async open(cluster: Config['cluster'], name: string, log: Log): Promise<FleetLink | undefined> {
    const { linkHost: host, linkPort: port } = cluster;
    if (port === null) return undefined;
    return FleetLink.listen({ host, port }, name, securityOf(cluster), log);
  }

  /** Listens at an address. Rejects where that is not possible. */
  static async listen(at: LinkAddress, name: string, security: LinkSecurity, log: Log): Promise<FleetLink> {
    const patience = 'path' in at ? PATIENCE_HERE : 1;
    const common = { name, security, patience, warn: log.warn.bind(log) };
    const link = new FleetLink(new MemberLink(common));
    link.#listening = await listenLink({ ...common, at }, (call, onClose) => link.#answerCall(call, onClose));
    return link;
  }

  /** Where others reach this gateway. */
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
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => (cancel = systemTimers.after(limitMs, resolve)));
    await Promise.race([Promise.allSettled(this.#underWay), late]);
    cancel();
  }

  /** Has another gateway answer a call; undefined if it did not get it. Rejects with LinkError if it may have got it. */
  async hand(call: HandedCall, { id, link }: Reached, onClose: OnClose): Promise<LinkAnswer | undefined> {
    try {
      return await this.#calls.call({ name: id, link }, call, onClose);
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

/** Throws what reading a file throws: a gateway without its keys does not start. */
function securityOf({ linkCertificateFile, linkKeyFile, linkCaFile, linkSecretFile }: Config['cluster']): LinkSecurity {
  if (linkCertificateFile !== null && linkKeyFile !== null && linkCaFile !== null) {
    const [certificate, key, ca] = [linkCertificateFile, linkKeyFile, linkCaFile].map((file) =>
      readFileSync(file, 'utf8'),
    );
    return { certificate: certificate!, key: key!, ca: ca! };
  }
  if (linkSecretFile !== null) return { secret: readFileSync(linkSecretFile, 'utf8').trim() };
  throw new Error('cluster.linkPort needs cluster.linkSecretFile, or linkCertificateFile, linkKeyFile and linkCaFile');
}
