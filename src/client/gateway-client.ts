import createClient from 'openapi-fetch';
import type { Client, ClientOptions } from 'openapi-fetch';
import type { paths } from './openapi.generated.js';

/** A client of a gateway: one method per HTTP method, paths and parameters and answers typed from openapi.yaml. */
export type GatewayClient = Client<paths>;

/**
 * A client of the gateway at `baseUrl` (`http://localhost:44322`). Answers come as `{ data }`, errors as `{ error }` with the
 * `code` of the gateway's error catalogue. {@link createPmgateClient} has helpers on top of the same routes.
 *
 * Numbers come as JavaScript numbers: whoever needs 64-bit integers beyond 2^53 exactly asks with `parseAs: 'text'`.
 */
export function createGatewayClient(baseUrl: string, options: Omit<ClientOptions, 'baseUrl'> = {}): GatewayClient {
  return createClient<paths>({
    baseUrl,
    // Lists as the gateway splits them: joined by commas, not repeated.
    querySerializer: { array: { style: 'form', explode: false } },
    ...options,
  });
}
