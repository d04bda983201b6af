import { errorMessage, type Logger } from '@holdfast/foundation'
import {
  BUS_CHECK_MS,
  BUS_CHECKS_PER_BEAT,
  BUS_FORGOTTEN_CHECKS,
  BUS_GONE_CHECKS,
  BUS_REQUEST_CHANNELS_MAX,
} from '../limits.ts'
import type { Bus, BusMessage } from './bus.ts'
import { decodeMessage, encodeMessage, type NodeMessage } from './encode-message.ts'
import { FRAME_OVERHEAD_BYTES, FrameCipher } from './frame-cipher.ts'
import { openLocalBus } from './local-bus.ts'
import { NodePresence } from './node-presence.ts'
import { Peer, splitMessage } from './peer.ts'
import type { OpenTransport, Transport } from './transport.ts'

export interface NetworkBusOptions {
  readonly openTransport: OpenTransport
  /** Shared by the nodes: 32 random bytes. */
  readonly secret: Buffer
  readonly logger: Logger
}

/**
 * Opens this node's bus to others. Its own subscribers get messages at once; other nodes get all messages over one transport and pick those of their subscribers.
 * A subscription is therefore effective at once, and the frames of a node have consecutive numbers, so that a loss is noticed.
 */
export async function openNetworkBus({ openTransport, secret, logger }: NetworkBusOptions): Promise<Bus> {
  const node = new Node(new FrameCipher(secret), logger)
  node.start(await openTransport({ onFrame: (frame) => node.receive(frame), onResumed: () => node.suspectLoss() }))
  return node
}

class Node implements Bus {
  readonly #cipher: FrameCipher
  readonly #logger: Logger
  readonly #local: Bus
  readonly #peers = new Map<string, Peer>()
  /** Presence published by this node. */
  readonly #own = new NodePresence()
  /** Number of subscriptions on this node, by channel. */
  readonly #subscribed = new Map<string, number>()
  readonly #unasked = new Set<string>()
  readonly #watchers = new Set<(node: string | undefined) => void>()
  #transport: Transport | undefined
  #timer: NodeJS.Timeout | undefined
  #checks = 0
  #hasSent = false
  #dropped = 0
  #closing: Promise<void> | undefined

  constructor(cipher: FrameCipher, logger: Logger) {
    this.#cipher = cipher
    this.#logger = logger
    this.#local = openLocalBus(logger)
  }

  start(transport: Transport): void {
    this.#transport = transport
    this.#timer = setInterval(() => this.#check(), BUS_CHECK_MS)
    this.#timer.unref()
    this.#send({ kind: 'beat' })
  }

  publish(channel: string, message: BusMessage): void {
    if (this.#closing) return
    if (message.kind === 'presence') this.#own.apply(channel, message.change)
    // Before local delivery, in which subscribers may publish.
    this.#send({ kind: 'message', channel, message })
    this.#local.publish(channel, message)
  }

  subscribe(channel: string, onMessage: (message: BusMessage) => void): Disposable {
    const subscription = this.#local.subscribe(channel, onMessage)
    const before = this.#subscribed.get(channel) ?? 0
    this.#subscribed.set(channel, before + 1)
    if (before === 0) this.#ask(channel)
    let isDisposed = false
    return {
      [Symbol.dispose]: () => {
        if (isDisposed) return
        isDisposed = true
        subscription[Symbol.dispose]()
        this.#unsubscribe(channel)
      },
    }
  }

  get node(): string {
    return this.#cipher.node
  }

  watchLosses(onLost: (node: string | undefined) => void): Disposable {
    const watcher = (node: string | undefined): void => onLost(node)
    this.#watchers.add(watcher)
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) }
  }

  /** Asks every node that answers for its presence again. */
  suspectLoss(): void {
    for (const peer of this.#peers.values()) peer.needsRepair = true
    for (const watcher of this.#watchers) watcher(undefined)
  }

  receive(frame: Buffer): void {
    const opened = this.#closing ? undefined : this.#cipher.open(frame)
    if (!opened) return
    let peer = this.#peers.get(opened.node)
    if (!peer) this.#peers.set(opened.node, (peer = new Peer()))
    const taken = peer.take(opened)
    if (taken && (taken.isGap || peer.isGone)) this.#lost(peer, opened.node)
    peer.isGone = false
    if (!taken?.message) return
    try {
      this.#handle(peer, opened.node, decodeMessage(taken.message))
    } catch (error) {
      // Of a later version, for example.
      this.#lost(peer, opened.node)
      this.#logger.log('debug', 'a message of another server was dropped', { error: errorMessage(error) })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer)
    this.#send({ kind: 'bye' })
    await this.#local[Symbol.asyncDispose]()
    await this.#transport?.[Symbol.asyncDispose]()
  }

  #lost(peer: Peer, name: string): void {
    peer.needsRepair = true
    for (const watcher of this.#watchers) watcher(name)
  }

  #handle(peer: Peer, name: string, message: NodeMessage): void {
    switch (message.kind) {
      case 'message':
        return this.#handleMessage(peer, message.channel, message.message)
      case 'request':
        if (message.of === undefined || message.of === this.#cipher.node) this.#answer(message)
        return undefined
      case 'state':
        for (const [channel, entries] of message.channels) this.#showState(peer, channel, entries)
        return undefined
      case 'bye':
        return this.#remove(name, peer)
      default:
        return undefined
    }
  }

  #handleMessage(peer: Peer, channel: string, message: BusMessage): void {
    if (!this.#subscribed.has(channel)) return
    if (message.kind === 'presence') peer.presence.apply(channel, message.change)
    this.#local.publish(channel, message)
  }

  #showState(peer: Peer, channel: string, entries: Parameters<NodePresence['replace']>[1]): void {
    const change = this.#subscribed.has(channel) ? peer.presence.replace(channel, entries) : undefined
    if (change) this.#local.publish(channel, { kind: 'presence', change })
  }

  /** A node that lost messages is also told which channels are empty. */
  #answer({ channels, of }: Extract<NodeMessage, { kind: 'request' }>): void {
    const states = channels.map((channel) => [channel, this.#own.entries(channel)] as const)
    const told = of === undefined ? states.filter(([, entries]) => entries.length > 0) : states
    if (told.length > 0) this.#send({ kind: 'state', channels: told })
  }

  #ask(channel: string): void {
    if (this.#unasked.size === 0) setImmediate(() => this.#sendRequests())
    this.#unasked.add(channel)
  }

  #sendRequests(): void {
    const channels = [...this.#unasked]
    this.#unasked.clear()
    if (!this.#closing) this.#request(channels)
  }

  #request(channels: readonly string[], of?: string): void {
    for (let start = 0; start < channels.length; start += BUS_REQUEST_CHANNELS_MAX) {
      const some = channels.slice(start, start + BUS_REQUEST_CHANNELS_MAX)
      this.#send({ kind: 'request', channels: some, ...(of !== undefined && { of }) })
    }
  }

  #unsubscribe(channel: string): void {
    const left = (this.#subscribed.get(channel) ?? 1) - 1
    if (left > 0) {
      this.#subscribed.set(channel, left)
      return
    }
    this.#subscribed.delete(channel)
    for (const peer of this.#peers.values()) peer.presence.forget(channel)
  }

  #check(): void {
    this.#checks++
    for (const [name, peer] of this.#peers) this.#checkPeer(name, peer)
    if (this.#checks % BUS_CHECKS_PER_BEAT !== 0) return
    // One beat after the last message shows whether that one was lost.
    const isBeatDue = this.#hasSent || !this.#own.isEmpty
    if (isBeatDue) this.#send({ kind: 'beat' })
    this.#hasSent = false
    if (this.#dropped === 0) return
    this.#logger.log('warn', 'messages to other servers were dropped: too many at once', { dropped: this.#dropped })
    this.#dropped = 0
  }

  /** Silence is counted in checks, so that a process that hung first reads what it has received. */
  #checkPeer(name: string, peer: Peer): void {
    peer.silentChecks++
    if (peer.needsRepair && peer.silentChecks === 1) {
      peer.needsRepair = false
      this.#request([...this.#subscribed.keys()], name)
    }
    if (peer.silentChecks === BUS_GONE_CHECKS) this.#leave(peer)
    if (peer.silentChecks >= BUS_FORGOTTEN_CHECKS) this.#peers.delete(name)
  }

  #remove(name: string, peer: Peer): void {
    this.#peers.delete(name)
    this.#leave(peer)
  }

  /** Its entries leave; if it answers again, its presence is read again. */
  #leave(peer: Peer): void {
    peer.isGone = true
    for (const [channel, leaves] of peer.presence.clear())
      this.#local.publish(channel, { kind: 'presence', change: { joins: [], leaves } })
  }

  #send(message: NodeMessage): void {
    const transport = this.#transport
    if (!transport) return
    this.#hasSent = message.kind !== 'beat' || this.#hasSent
    const contentMax = transport.frameBytesMax - FRAME_OVERHEAD_BYTES
    for (const part of splitMessage(encodeMessage(message), contentMax))
      if (!transport.send(this.#cipher.seal(part))) this.#dropped++
  }
}
