import type { Bus, BusMessage } from '../bus/bus.ts'
import { FanOut } from '../wire/encode.ts'
import { busChannel, topicOf } from './topic.ts'

/** A membership as its topic sees it. */
export interface Member {
  /** Unique among all nodes. */
  readonly id: string
  /** Whether it gets its own broadcasts. */
  readonly isEchoed: boolean
  readonly canReadBroadcasts: boolean
  deliver(fanOut: FanOut): void
}

interface Topic {
  readonly members: Set<Member>
  readonly subscription: Disposable
}

/** The members of all topics on this node, and the way to those of all nodes. */
export class Topics {
  readonly #bus: Bus
  readonly #topics = new Map<string, Topic>()

  constructor(bus: Bus) {
    this.#bus = bus
  }

  add(name: string, isPrivate: boolean, member: Member): void {
    const channel = busChannel(name, isPrivate)
    let topic = this.#topics.get(channel)
    if (!topic) {
      const members = new Set<Member>()
      const subscription = this.#bus.subscribe(channel, (message) => deliver(name, members, message))
      this.#topics.set(channel, (topic = { members, subscription }))
    }
    topic.members.add(member)
  }

  remove(name: string, isPrivate: boolean, member: Member): void {
    const channel = busChannel(name, isPrivate)
    const topic = this.#topics.get(channel)
    if (!topic?.members.delete(member) || topic.members.size > 0) return
    this.#topics.delete(channel)
    topic.subscription[Symbol.dispose]()
  }

  publish(name: string, isPrivate: boolean, message: BusMessage): void {
    this.#bus.publish(busChannel(name, isPrivate), message)
  }
}

function deliver(name: string, members: ReadonlySet<Member>, message: BusMessage): void {
  const topic = topicOf(name)
  const fanOut =
    message.kind === 'broadcast'
      ? FanOut.ofBroadcast(topic, message.broadcast)
      : FanOut.ofText(topic, 'broadcast', message.payload)
  for (const member of members) {
    if (member.canReadBroadcasts && (member.isEchoed || member.id !== message.from)) member.deliver(fanOut)
  }
}
