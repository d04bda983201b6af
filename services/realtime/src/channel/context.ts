import type { Clock, Logger, Semaphore } from '@holdfast/foundation'
import type { Rights } from '../access/rights.ts'
import type { Identity, Tokens } from '../access/tokens.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { RealtimeOptions } from '../options.ts'
import type { EncodedFrame, ServerMessage, Version } from '../wire/frames.ts'
import type { Topics } from './topics.ts'

/** Dependencies of every membership. */
export interface ChannelContext {
  readonly tokens: Tokens
  readonly topics: Topics
  readonly rights: Rights
  /** Limits concurrent rechecks of rights. */
  readonly rightsReads: Semaphore
  readonly changes: ChangeFeed
  /** Memory of joined channels and presence, limited by address. */
  readonly kept: Semaphore
  /** Whether table changes are not read until an operator intervenes. */
  readonly isUnfollowed: () => boolean
  readonly options: RealtimeOptions
  readonly clock: Clock
  readonly logger: Logger
}

/** A client's connection as seen by its memberships. */
export interface Line {
  readonly version: Version
  /** Who connected, from the URL's key. */
  readonly identity: Identity
  /** Remote address. */
  readonly address: string
  send(message: ServerMessage): void
  sendFrame(frame: EncodedFrame): void
  /** Stops reading from the client until `release` was called equally often. */
  hold(): void
  release(): void
  /**
   * Accounts for the bytes of a queued message.
   *
   * @returns a function to call once it is handled
   */
  keepWaiting(bytes: number): () => void
}
