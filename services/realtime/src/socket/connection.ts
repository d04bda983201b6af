import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { delay, errorMessage, type HoldfastError } from '@holdfast/foundation'
import type { Identity } from '../access/tokens.ts'
import type { ChannelContext, Line } from '../channel/context.ts'
import { parseJoin, type JoinConfig } from '../channel/join-config.ts'
import { Membership } from '../channel/membership.ts'
import { Rate } from '../channel/rate.ts'
import { nameOf } from '../channel/topic.ts'
import { reasonOf, tooManyChannels, tooManyJoins } from '../errors.ts'
import {
  ARRIVING_UNCOUNTED_BYTES,
  CLOSE_PATIENCE_MS,
  KEPT_PER_BYTE,
  MEMBERSHIP_BYTES,
  PIECE_BYTES,
  REFUSAL_DELAY_MS,
  SUBSCRIPTION_BYTES,
  SWEEP_EVERY_MS,
} from '../limits.ts'
import { decodeFrame } from '../wire/decode.ts'
import { encodeMessage } from '../wire/encode.ts'
import type { ClientFrame, EncodedFrame, PushFrame, ServerMessage, Version } from '../wire/frames.ts'
import type { UnhandledConnection, UnhandledBytes } from './unhandled-bytes.ts'
import type { MessageShare } from './message-share.ts'
import { type Flusher, Outbox } from './outbox.ts'
import type { UnsentBytes } from './unsent-bytes.ts'

/** Close codes and reasons sent by the server. */
export const CLOSE = {
  goingAway: [1001, 'silent'],
  restarting: [1012, 'the server is stopping'],
  tooSlow: [1013, 'the client does not read its messages'],
  tooMuch: [1013, 'too much received data is waiting to be handled'],
} as const

/** A connection's own socket and the state shared by all connections. */
export interface Connected {
  readonly webSocket: WebSocket
  /** Underlying socket of the WebSocket. */
  readonly socket: Duplex
  readonly shared: {
    readonly flusher: Flusher
    readonly unsent: UnsentBytes
    readonly messages: MessageShare
    readonly arriving: UnhandledBytes
  }
}

/** A WebSocket and the channels its client has joined. */
export class Connection implements Line, UnhandledConnection {
  readonly version: Version
  readonly identity: Identity
  readonly address: string
  readonly #socket: WebSocket
  readonly #context: ChannelContext
  readonly #memberships = new Map<string, Membership>()
  readonly #joins: Rate
  readonly #messages: Rate
  readonly #bytes: Rate
  readonly #outbox: Outbox
  readonly #share: MessageShare
  readonly #arriving: UnhandledBytes
  /** Bytes since the last message, and how many of them are accounted for. */
  #arrivedBytes = 0
  #countedBytes = 0
  /** Checks since the client was last heard or not being read. A blocked server performs no checks, and pending input is read before the next one. */
  #silentLooks = 0
  #holds = 0
  /** Start of closing. */
  #closingSinceMs: number | undefined

  constructor(
    context: ChannelContext,
    { webSocket, socket, shared }: Connected,
    client: Pick<Line, 'version' | 'identity' | 'address'>,
    onClosed: (connection: Connection) => void,
  ) {
    const { options, clock } = context
    const nowMs = clock.now()
    this.version = client.version
    this.identity = client.identity
    this.address = client.address
    this.#socket = webSocket
    this.#context = context
    const joins = options.realtimeJoinsPerSecondMax
    this.#joins = new Rate(joins, nowMs, Math.max(joins, options.realtimeChannelsPerClientMax))
    this.#messages = new Rate(options.realtimeMessagesPerSecondMax, nowMs)
    this.#bytes = new Rate(options.realtimeBytesPerSecondMax, nowMs)
    this.#share = shared.messages
    this.#arriving = shared.arriving
    this.#outbox = new Outbox(socket, shared, {
      bytesMax: options.realtimeUnsentSizeMax * 1_024,
      onTooSlow: () => this.close(CLOSE.tooSlow),
      onCut: () => {
        this.close(CLOSE.tooSlow)
        this.terminate()
      },
    })
    // Runs before the WebSocket reads the data.
    socket.prependListener('data', (chunk: Buffer) => this.#countArriving(chunk.length + PIECE_BYTES))
    webSocket.on('message', (data: Buffer, isBinary) => this.#read(data, isBinary))
    webSocket.on('ping', () => (this.#silentLooks = 0))
    // Client errors, such as an oversized frame, close the connection, as do network errors.
    webSocket.on('error', (error) => context.logger.log('debug', 'a WebSocket failed', { error: errorMessage(error) }))
    webSocket.once('close', () => {
      this.#outbox.clear()
      this.#arriving.end(this)
      for (const membership of this.#memberships.values()) membership.close('disconnected')
      onClosed(this)
    })
  }

  send(message: ServerMessage): void {
    this.sendFrame(encodeMessage(this.version, message))
  }

  sendFrame(frame: EncodedFrame): void {
    if (this.#closingSinceMs === undefined && this.#socket.readyState === WebSocket.OPEN) this.#outbox.write(frame)
  }

  hold(): void {
    if (this.#holds++ === 0) this.#socket.pause()
  }

  release(): void {
    if (--this.#holds === 0) this.#socket.resume()
  }

  keepWaiting(bytes: number): () => void {
    this.#arriving.add(this, bytes + PIECE_BYTES)
    return () => this.#arriving.remove(this, bytes + PIECE_BYTES)
  }

  cut(): void {
    this.close(CLOSE.tooMuch)
    this.terminate()
  }

  close([code, reason]: readonly [code: number, reason: string]): void {
    if (this.#closingSinceMs !== undefined) return
    this.#closingSinceMs = this.#context.clock.now()
    // End its channels now, so that nothing more is encoded for it and others see it leave.
    for (const membership of this.#memberships.values()) membership.close('disconnected')
    // Read even a held client, to receive its close acknowledgement.
    this.#socket.resume()
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** Checks for silence, slow closing and expired tokens. */
  sweep(nowMs: number): void {
    if (this.#closingSinceMs !== undefined) {
      if (nowMs - this.#closingSinceMs > CLOSE_PATIENCE_MS) this.#socket.terminate()
      return
    }
    this.#silentLooks = this.#holds > 0 ? 0 : this.#silentLooks + 1
    if (this.#silentLooks * SWEEP_EVERY_MS > this.#context.options.realtimeSilenceSeconds * 1_000) {
      this.close(CLOSE.goingAway)
      return
    }
    this.#outbox.settle()
    for (const membership of this.#memberships.values()) membership.check(nowMs)
  }

  #read(data: Buffer, isBinary: boolean): void {
    this.#arriving.remove(this, this.#countedBytes)
    this.#arrivedBytes = 0
    this.#countedBytes = 0
    if (this.#closingSinceMs !== undefined) return
    const nowMs = this.#context.clock.now()
    this.#silentLooks = 0
    const waitMs = this.#bytes.use(data.length, nowMs)
    if (waitMs > 0) {
      this.hold()
      setTimeout(() => this.release(), waitMs).unref()
    }
    const frame = decodeFrame(this.version, data, isBinary)
    if (!frame) {
      this.#context.logger.log('debug', 'a malformed frame was dropped', { bytes: data.length })
      return
    }
    const isHeard = this.#messages.take(1, nowMs)
    this.#share.take(this)
    if (frame.kind === 'push' && frame.topic === 'phoenix') this.#answerHeartbeat(frame)
    else if (!isHeard) this.#memberships.get(frame.topic)?.end('Too many messages per second')
    else if (frame.kind === 'push' && frame.event === 'phx_join') this.#join(frame, data.length, nowMs)
    else this.#handOn(frame, data.length)
  }

  #answerHeartbeat({ ref, topic, event }: PushFrame): void {
    if (event === 'heartbeat')
      this.send({ joinRef: null, ref, topic, event: 'phx_reply', payload: { status: 'ok', response: {} } })
  }

  #countArriving(bytes: number): void {
    this.#arrivedBytes += bytes
    if (this.#arrivedBytes <= ARRIVING_UNCOUNTED_BYTES) return
    this.#arriving.add(this, this.#arrivedBytes - this.#countedBytes)
    this.#countedBytes = this.#arrivedBytes
  }

  #join(frame: PushFrame, bytes: number, nowMs: number): void {
    const name = nameOf(frame.topic)
    if (name === undefined) {
      this.#reply(frame, 'error', { reason: 'unmatched topic' })
      return
    }
    if (!this.#joins.take(1, nowMs)) {
      this.#refuseJoin(frame, reasonOf(tooManyJoins()))
      return
    }
    this.#memberships.get(frame.topic)?.close('replaced')
    if (this.#memberships.size >= this.#context.options.realtimeChannelsPerClientMax) {
      this.#refuseJoin(frame, reasonOf(tooManyChannels()))
      return
    }
    const config = parseJoin(frame.payload)
    const forget = this.#keepJoin(frame, bytes, config)
    if (!forget) return
    const membership = new Membership(this.#context, this, { name, frame, config }, (closed) => {
      forget()
      if (this.#memberships.get(frame.topic) === closed) this.#memberships.delete(frame.topic)
    })
    if (membership.state.kind !== 'closed') this.#memberships.set(frame.topic, membership)
  }

  /** @returns `undefined` if there is no room, after telling the client */
  #keepJoin(frame: PushFrame, bytes: number, { postgresChanges }: JoinConfig): (() => void) | undefined {
    const kept = MEMBERSHIP_BYTES + bytes * KEPT_PER_BYTE + postgresChanges.length * SUBSCRIPTION_BYTES
    try {
      return this.#context.kept.acquireNow({ key: this.address }, kept)
    } catch (error) {
      this.#refuseJoin(frame, reasonOf(error as HoldfastError))
      return undefined
    }
  }

  /** Delayed, because a client may retry immediately. */
  #refuseJoin(frame: PushFrame, reason: string): void {
    void delay(REFUSAL_DELAY_MS).then(() => this.#reply(frame, 'error', { reason }))
  }

  #handOn(frame: ClientFrame, bytes: number): void {
    const membership = this.#memberships.get(frame.topic)
    if (membership) membership.handle(frame, bytes)
    else if (frame.kind === 'push' && frame.event === 'phx_leave') this.#reply(frame, 'ok', {})
    else this.#reply(frame, 'error', { reason: 'unmatched topic' })
  }

  #reply({ joinRef, ref, topic }: ClientFrame, status: 'ok' | 'error', response: unknown): void {
    this.send({ joinRef, ref, topic, event: 'phx_reply', payload: { status, response } })
  }
}
