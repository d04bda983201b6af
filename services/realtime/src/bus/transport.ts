/** What a transport reports to its node. */
export interface TransportEvents {
  /** Called with each received frame, in the order of its sender. May include frames of this node. */
  readonly onFrame: (frame: Buffer) => void
  /** Called when receiving resumes after an interruption: frames may have been lost. */
  readonly onResumed: () => void
}

/** Carries frames between nodes: at most once, in the order of each sender. */
export interface Transport extends AsyncDisposable {
  /** Size limit of a frame in bytes. */
  readonly frameBytesMax: number
  /** Queues a frame for all other nodes. @returns `false` if the queue is full, which drops the frame */
  send(frame: Buffer): boolean
}

export type OpenTransport = (events: TransportEvents) => Promise<Transport>
