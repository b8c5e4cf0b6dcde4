/** What takes the events of one client: a connection. */
export interface StreamSink {
  /** Send bytes; the sink keeps them, they must not change. Answers whether it takes more now, else it will call `drained()`. */
  write(bytes: Uint8Array): boolean;
  /** Bytes that were written and that the client has not taken yet, about. */
  readonly waitingBytes: number;
  /** End the stream after what was written. A client that takes nothing is cut off instead of being waited for. */
  end(): void;
  /** Cut the client off: what it has not taken is dropped. */
  destroy(): void;
}

/** One client's part in a stream, held by its connection. */
export interface StreamSubscription {
  /** The sink takes more. */
  drained(): void;
  /** The client has gone. */
  unsubscribe(): void;
}
