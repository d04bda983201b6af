import type { Bus, BusMessage } from '../bus/bus.ts'
import { PresenceState, renderDiff, type PresenceChange } from '../bus/presence.ts'
import type { Identity } from '../access/tokens.ts'
import { FanOut } from '../wire/encode.ts'
import { busChannel, topicOf } from './topic.ts'

/** A membership as seen by its topic. */
export interface Member {
  /** Unique across nodes. */
  readonly id: string
  /** Whether it receives its own broadcasts. */
  readonly isEchoed: boolean
  readonly canReadBroadcasts: boolean
  readonly canReadPresence: boolean
  /** `undefined` while it joins. */
  readonly identity: Pick<Identity, 'role' | 'claims'> | undefined
  /** @param id - of a database message */
  deliver(fanOut: FanOut, id?: string): void
}

/** A channel with members on this node. */
export interface ChannelSummary {
  readonly topic: string
  readonly isPrivate: boolean
  readonly members: number
  /** Entries of the presence state. */
  readonly present: number
}

export interface ChannelDetails extends ChannelSummary {
  /** The first members, in order of joining; `userId` is missing for keys without a user. */
  readonly users: readonly { readonly role: string; readonly userId?: string }[]
  /** The first presence keys, with the entries under each. */
  readonly presence: readonly { readonly key: string; readonly entries: number }[]
}

/** Channels found by {@link Topics.list}. */
export interface ChannelPage {
  readonly channels: readonly ChannelSummary[]
  /** All matching channels, listed or not. */
  readonly count: number
}

interface Topic {
  readonly name: string
  readonly isPrivate: boolean
  readonly members: Set<Member>
  readonly presence: PresenceState
}

/** Topic members on this node, connected to other nodes by the bus. */
export class Topics {
  readonly #bus: Bus
  readonly #topics = new Map<string, Topic>()
  readonly #subscriptions = new WeakMap<Topic, Disposable>()

  constructor(bus: Bus) {
    this.#bus = bus
  }

  add(name: string, isPrivate: boolean, member: Member): void {
    const channel = busChannel(name, isPrivate)
    let topic = this.#topics.get(channel)
    if (!topic) {
      const made: Topic = { name, isPrivate, members: new Set(), presence: new PresenceState() }
      const subscription = this.#bus.subscribe(channel, (message) => deliver(made, message))
      this.#topics.set(channel, (topic = made))
      this.#subscriptions.set(made, subscription)
    }
    topic.members.add(member)
  }

  remove(name: string, isPrivate: boolean, member: Member): void {
    const channel = busChannel(name, isPrivate)
    const topic = this.#topics.get(channel)
    if (!topic?.members.delete(member) || topic.members.size > 0) return
    this.#topics.delete(channel)
    this.#subscriptions.get(topic)?.[Symbol.dispose]()
  }

  /** Lists the matching channels with the most members; equal ones by topic. */
  list({ matches, limit }: { readonly matches: (topic: string) => boolean; readonly limit: number }): ChannelPage {
    const found = [...this.#topics.values()].filter(({ name }) => matches(name))
    const listed = found
      .toSorted((a, b) => b.members.size - a.members.size || (a.name < b.name ? -1 : 1))
      .slice(0, limit)
      .map(summarize)
    return { channels: listed, count: found.length }
  }

  /** Returns a channel with at most `membersMax` of its members on this node, and of its presence keys. */
  describe(name: string, isPrivate: boolean, membersMax: number): ChannelDetails {
    const topic = this.#topics.get(busChannel(name, isPrivate))
    if (!topic) return { topic: name, isPrivate, members: 0, users: [], present: 0, presence: [] }
    return {
      ...summarize(topic),
      users: [...topic.members].slice(0, membersMax).map(toUser),
      presence: topic.presence.countByKey(membersMax),
    }
  }

  /** Returns the presence state of a topic with local members, as JSON text for clients. */
  presence(name: string, isPrivate: boolean): string {
    return this.#topics.get(busChannel(name, isPrivate))?.presence.render() ?? '{}'
  }

  /** Its size in bytes. */
  presenceBytes(name: string, isPrivate: boolean): number {
    return this.#topics.get(busChannel(name, isPrivate))?.presence.bytes ?? 0
  }

  /** Delivers a message that every node gets on another channel. */
  deliver(name: string, isPrivate: boolean, message: BusMessage): void {
    const topic = this.#topics.get(busChannel(name, isPrivate))
    if (topic) deliver(topic, message)
  }

  publish(name: string, isPrivate: boolean, message: BusMessage): void {
    this.#bus.publish(busChannel(name, isPrivate), message)
  }
}

function summarize({ name, isPrivate, members, presence }: Topic): ChannelSummary {
  return { topic: name, isPrivate, members: members.size, present: presence.size }
}

function toUser({ identity }: Member): ChannelDetails['users'][number] {
  const userId = identity?.claims['sub']
  return { role: identity?.role ?? '', ...(typeof userId === 'string' && { userId }) }
}

function deliver({ name, members, presence }: Topic, message: BusMessage): void {
  if (message.kind === 'database') return
  const topic = topicOf(name)
  if (message.kind === 'presence') {
    deliverPresence(topic, members, presence, message.change)
    return
  }
  const fanOut =
    message.kind === 'broadcast'
      ? FanOut.ofBroadcast(topic, message.broadcast)
      : FanOut.ofText(topic, 'broadcast', message.payload)
  const id = message.kind === 'broadcast' ? message.id : undefined
  for (const member of members) {
    if (member.canReadBroadcasts && (member.isEchoed || member.id !== message.from)) member.deliver(fanOut, id)
  }
}

function deliverPresence(
  topic: string,
  members: ReadonlySet<Member>,
  state: PresenceState,
  change: PresenceChange,
): void {
  state.apply(change)
  const fanOut = FanOut.ofText(topic, 'presence_diff', renderDiff(change))
  for (const member of members) if (member.canReadPresence) member.deliver(fanOut)
}
