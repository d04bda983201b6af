/** A channel with members on this server. */
export interface ListedChannel {
  /** Addresses in it are masked for viewers. */
  readonly topic: string
  readonly isPrivate: boolean
  readonly members: number
  /** Entries of the presence state. */
  readonly present: number
}

export interface ChannelList {
  /** The channels with the most members first. */
  readonly channels: readonly ListedChannel[]
  /** All matching channels of this server, listed or not. */
  readonly count: number
}

/** A member of a channel: a user, or a client with a key. */
export interface ChannelMember {
  readonly role: string
  readonly userId?: string
  readonly email?: string
}

export interface ChannelDetails extends ListedChannel {
  /** The first members, in order of joining. */
  readonly users: readonly ChannelMember[]
  /** The first presence keys, with the entries under each. */
  readonly presence: readonly { readonly key: string; readonly entries: number }[]
}

/** A message that is stored in `realtime.messages`. */
export interface StoredMessage {
  readonly id: string
  readonly at: string
  readonly event: string | null
  /** JSON text, possibly cut; `null` for binary payloads. */
  readonly payload: string | null
  /** Size in bytes of the whole payload. */
  readonly bytes: number
}
