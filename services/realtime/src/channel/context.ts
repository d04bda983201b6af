import type { Clock, Logger } from '@holdfast/foundation'
import type { FairLimit } from '@holdfast/http'
import type { Rights } from '../access/rights.ts'
import type { Identity, Tokens } from '../access/tokens.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { RealtimeOptions } from '../options.ts'
import type { EncodedFrame, ServerMessage, Version } from '../wire/frames.ts'
import type { RightsTurns } from './rights-turns.ts'
import type { Topics } from './topics.ts'

/** What every membership is handed. */
export interface ChannelContext {
  readonly tokens: Tokens
  readonly topics: Topics
  readonly rights: Rights
  /** How many members are asked for again. */
  readonly rightsTurns: RightsTurns
  readonly changes: ChangeFeed
  /** Bytes that joined channels and what members show take, by address. */
  readonly kept: FairLimit
  /** Whether another server reads the changes of the database, and has the channels. */
  readonly isStandby: () => boolean
  /** Whether nothing reads the changes of tables until an operator has changed something. */
  readonly isUnfollowed: () => boolean
  readonly options: RealtimeOptions
  readonly clock: Clock
  readonly logger: Logger
}

/** The connection of a client as its memberships see it. */
export interface Line {
  readonly version: Version
  /** Who connected: the key of the address. */
  readonly identity: Identity
  /** Where it comes from. */
  readonly address: string
  send(message: ServerMessage): void
  sendFrame(frame: EncodedFrame): void
  /** Nothing more is read from the client until it is released as often. */
  hold(): void
  release(): void
  /**
   * Counts bytes of a message that has to wait for one before it.
   *
   * @returns to be called when it is handled
   */
  keepWaiting(bytes: number): () => void
}
