import { type PmgateClient, createPmgateClient } from '../../../src/client/index.js';
import type { Api } from '../../support/api.js';
import { type ArchiveApi, archiveApi } from '../../support/archive-gateway.js';

/** A gateway with hosts and archives for all tests of a file, and a client of it. At the end it must have had no defects. */
export function withServedClient(use: (client: PmgateClient, api: Api) => void): void {
  let served: ArchiveApi;
  beforeAll(async () => {
    served = await archiveApi();
    use(createPmgateClient(served.api.url), served.api);
  });
  afterAll(async () => {
    expect(served.api.defects).toEqual([]);
    await served.stop();
  });
}
