/** What an operation answers: the boundary turns it into one writeHead and one end. */
export interface Answer {
  /** HTTP status; 200 when absent. */
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** `no-store` when absent: nearly everything here is a sample or changes with the source. */
  readonly cacheControl?: string;
  /** Further header fields, as a flat list of names and values. */
  readonly headers?: readonly string[];
}

/** A successful JSON answer; `json` without the line end that pmproxy's answers have. */
export function jsonAnswer(json: string, headers?: readonly string[]): Answer {
  return { contentType: 'application/json', body: `${json}\r\n`, ...(headers ? { headers } : {}) };
}
