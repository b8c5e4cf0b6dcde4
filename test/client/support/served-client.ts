import { type PmgateClient, createPmgateClient } from '../../../src/client/index.js';
import type { Api } from '../../support/api.js';
import { servedArchives } from '../../support/archive-gateway.js';

/** A gateway with hosts and archives for all tests of a file, and a client of it. At the end it must have had no defects. */
export function withServedClient(use: (client: PmgateClient, api: Api) => void): void {
  const { api } = servedArchives();
  beforeAll(() => use(createPmgateClient(api.url), api));
}
