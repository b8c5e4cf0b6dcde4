import createClient from 'openapi-fetch';
import type { Client, ClientOptions } from 'openapi-fetch';
import type { paths } from './openapi.generated.js';

/** A client of a gateway: one method per HTTP method; paths, parameters and responses are typed from openapi.yaml. */
export type GatewayClient = Client<paths>;

/**
 * A client of the gateway at `baseUrl` (`http://localhost:44322`). Responses are returned as `{ data }`, errors as `{ error }`
 * with the `code` of the gateway's error catalogue. {@link createPmgateClient} has helpers for the same routes.
 *
 * Numbers are JavaScript numbers: for exact 64-bit integers beyond 2^53 use `parseAs: 'text'`.
 */
export function createGatewayClient(baseUrl: string, options: Omit<ClientOptions, 'baseUrl'> = {}): GatewayClient {
  return createClient<paths>({
    baseUrl,
    // Lists as the gateway splits them: joined by commas, not repeated.
    querySerializer: { array: { style: 'form', explode: false } },
    ...options,
  });
}
