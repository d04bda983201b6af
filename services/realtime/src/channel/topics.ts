import type { Bus, BusMessage } from '../bus/bus.ts'
import { PresenceState, renderDiff, type PresenceChange } from '../bus/presence.ts'
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
  /** @param id - of a database message */
  deliver(fanOut: FanOut, id?: string): void
}

interface Topic {
  readonly name: string
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
      const made: Topic = { name, members: new Set(), presence: new PresenceState() }
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

  /** Returns the presence state of a topic with local members, as JSON text for clients. */
  presence(name: string, isPrivate: boolean): string {
    return this.#topics.get(busChannel(name, isPrivate))?.presence.render() ?? '{}'
  }

  /** Its size in bytes. */
  presenceBytes(name: string, isPrivate: boolean): number {
    return this.#topics.get(busChannel(name, isPrivate))?.presence.bytes ?? 0
  }

  publish(name: string, isPrivate: boolean, message: BusMessage): void {
    this.#bus.publish(busChannel(name, isPrivate), message)
  }
}

function deliver({ name, members, presence }: Topic, message: BusMessage): void {
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
