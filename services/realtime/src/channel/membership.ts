import { randomUUID } from 'node:crypto'
import { HoldfastError, delay, errorMessage, isRecord } from '@holdfast/foundation'
import type { ChannelCaller, Extension, ReadRights } from '../access/rights.ts'
import type { Identity } from '../access/tokens.ts'
import type { BusMessage } from '../bus/bus.ts'
import { type MessageRow, toBroadcast } from '../database/message-row.ts'
import { accessRevoked, presenceFull, privateOnly, reasonOf, tokenExpired, unknownError } from '../errors.ts'
import {
  EVENT_NAME_BYTES_MAX,
  PAYLOAD_ALLOWANCE_BYTES,
  PRESENCE_BYTES_MAX,
  PRESENCE_WINDOW_S,
  REFUSAL_DELAY_MS,
  WAITING_MESSAGES_MAX,
} from '../limits.ts'
import type { PresenceChange } from '../bus/presence.ts'
import type { FanOut } from '../wire/encode.ts'
import type { BroadcastFrame, ClientFrame, PushFrame, Ref } from '../wire/frames.ts'
import type { ChannelContext, Line } from './context.ts'
import { type JoinConfig, parseAccessToken } from './join-config.ts'
import { MemberChanges, SUBSCRIBED } from './member-changes.ts'
import { MemberFrames } from './member-frames.ts'
import { MemberPresence, parsePresenceCall } from './member-presence.ts'
import { MemberReplay, parseReplay, type WantedReplay } from './member-replay.ts'
import { callerOf, MemberRights } from './member-rights.ts'
import { type CloseReason, type MembershipState, nextState } from './membership-state.ts'
import { Rate } from './rate.ts'
import { requireName } from './topic.ts'
import type { Member } from './topics.ts'
import { SerialQueue } from './serial-queue.ts'

/** For a membership that has no token, and thus no subscriptions. */
const NO_IDENTITY = { role: '', claims: {} }

/** One client's membership of one channel, from join to end. */
export class Membership implements Member {
  readonly id = randomUUID()
  readonly name: string
  readonly isEchoed: boolean
  canReadBroadcasts = false
  canReadPresence = false
  readonly #context: ChannelContext
  readonly #line: Line
  readonly #topic: string
  readonly #frames: MemberFrames
  readonly #config: JoinConfig
  readonly #queue: SerialQueue
  readonly #rights: MemberRights
  readonly #presence: MemberPresence
  #wantsPresence: boolean
  readonly #changes: MemberChanges
  readonly #presenceCalls: Rate
  readonly #onClosed: (membership: Membership) => void
  #replay: MemberReplay | undefined
  #state: MembershipState = { kind: 'joining' }
  #identity: Identity | undefined
  #watch: Disposable | undefined

  constructor(
    context: ChannelContext,
    line: Line,
    join: { readonly name: string; readonly frame: PushFrame; readonly config: JoinConfig },
    onClosed: (membership: Membership) => void,
  ) {
    const { name, frame, config } = join
    this.#context = context
    this.#line = line
    this.name = name
    this.#topic = frame.topic
    // Protocol 1.0.0 allows omitting the join ref.
    const joinRef = frame.joinRef ?? frame.ref
    this.#frames = new MemberFrames(line, { topic: frame.topic, joinRef, channel: name })
    this.#config = config
    this.isEchoed = config.broadcast.self
    this.#onClosed = onClosed
    this.#rights = new MemberRights(
      context.rights,
      name,
      config.isPrivate,
      context.options.realtimeRightsSeconds * 1_000,
    )
    this.#wantsPresence = config.presence.isEnabled
    this.#presence = new MemberPresence(config.presence.key, (bytes) =>
      context.kept.acquireNow({ key: line.address }, bytes),
    )
    this.#changes = new MemberChanges(context.changes, config, context.logger)
    const callsMax = context.options.realtimePresenceCallsMax
    this.#presenceCalls = new Rate(callsMax / PRESENCE_WINDOW_S, context.clock.now(), callsMax)
    this.#queue = new SerialQueue({
      waitingMax: WAITING_MESSAGES_MAX,
      onFull: () => line.hold(),
      onRoom: () => line.release(),
      onError: (error) => this.#failed(error),
    })
    this.#queue.run(() => this.#join(frame.ref))
  }

  get identity(): Identity | undefined {
    return this.#identity
  }

  get state(): MembershipState {
    return this.#state
  }

  /** Handles a client message after its predecessors. */
  handle(frame: ClientFrame, bytes: number): void {
    if (!this.#queue.isBusy) return this.#queue.run(() => this.#handle(frame))
    const handled = this.#line.keepWaiting(bytes)
    this.#queue.run(() => {
      handled()
      return this.#handle(frame)
    })
  }

  deliver(fanOut: FanOut, id?: string): void {
    if (!this.#replay?.keeps(fanOut, id)) this.#frames.fanOut(fanOut)
  }

  /** Ends an expired membership and starts due rechecks. */
  check(nowMs: number): void {
    const nowS = nowMs / 1_000
    const { expiresAtS } = this.#identity ?? {}
    if (expiresAtS !== undefined && expiresAtS <= nowS) {
      this.end(tokenExpired(Math.max(0, Math.floor(nowS - expiresAtS))).message)
      return
    }
    if (!this.#rights.isDue(nowMs)) return
    const release = this.#context.rightsReads.tryAcquire()
    if (!release) return // the next check tries again
    this.#rights.begin()
    this.#queue.run(() => this.#askAgain().finally(release))
  }

  /** Ends the membership with a reason. */
  end(message: string): void {
    if (this.#state.kind === 'closed') return
    this.#frames.system('system', 'error', message)
    this.close('ended')
  }

  /** Ends the membership because it missed messages; the client joins again. */
  cut(message: string): void {
    if (this.#state.kind === 'closed') return
    this.#frames.system('postgres_changes', 'error', message)
    this.#frames.push('phx_error', { reason: message })
    this.close('cut')
  }

  close(because: CloseReason): void {
    const wasClosed = this.#state.kind === 'closed'
    this.#state = nextState(this.#state, { kind: 'closed', because })
    if (wasClosed) return
    this.#showChange(this.#presence.untrack())
    this.#changes.close()
    this.#context.topics.remove(this.name, this.#config.isPrivate, this)
    this.#watch?.[Symbol.dispose]()
    if (because === 'disconnected') this.#queue.discard()
    this.#onClosed(this)
    if (because !== 'refused' && because !== 'disconnected' && because !== 'cut') this.#frames.push('phx_close', {})
  }

  async #join(ref: Ref): Promise<void> {
    try {
      requireName(this.name)
      const { isPrivate, accessToken } = this.#config
      if (this.#context.options.realtimePrivateOnly && !isPrivate) throw privateOnly()
      const replay = parseReplay(this.#config.replay, isPrivate)
      const identity = await this.#context.tokens.identify(accessToken ?? this.#line.identity.token)
      const rights = await this.#readRights(identity)
      if (this.#state.kind === 'closed') return
      this.#use(identity)
      if (this.#config.waitsForChanges) await this.#awaitChanges()
      const messages = replay && rights.broadcast ? await this.#readReplay(identity, replay) : []
      if (this.state.kind === 'closed') return
      this.#joined(ref, rights)
      this.#sendReplay(messages)
    } catch (error) {
      const refusal = this.#toRefusal(error)
      await delay(REFUSAL_DELAY_MS)
      if (this.#state.kind === 'closed') return
      this.close('refused')
      this.#frames.reply(ref, 'error', { reason: reasonOf(refusal) })
    }
  }

  /** Holds back live messages meanwhile, so that none is missed in between. */
  #readReplay(identity: Identity, wanted: WantedReplay): Promise<readonly MessageRow[]> {
    this.#replay = new MemberReplay()
    this.canReadBroadcasts = true
    this.#context.topics.add(this.name, this.#config.isPrivate, this)
    return this.#context.rights.replay(this.#callerOf(identity), this.name, wanted)
  }

  #sendReplay(messages: readonly MessageRow[]): void {
    for (const message of messages) this.#frames.broadcast(toBroadcast(message, { replayed: true }))
    for (const fanOut of this.#replay?.end(messages.map(({ id }) => id)) ?? []) this.#frames.fanOut(fanOut)
  }

  #joined(ref: Ref, rights: ReadRights): void {
    this.#state = nextState(this.#state, { kind: 'accepted' })
    this.#context.topics.add(this.name, this.#config.isPrivate, this)
    this.#frames.reply(ref, 'ok', { postgres_changes: this.#changes.answer() })
    this.#grant(rights)
    if (this.#config.wantsReplicationReady) this.#frames.system('system', 'ok', 'Replication connection established')
    if (!this.#changes.isWanted) return
    if (this.#config.waitsForChanges) this.#tellChanges(undefined)
    else void this.#subscribe().then((problem) => this.#tellChanges(problem))
  }

  async #awaitChanges(): Promise<void> {
    const problem = await this.#subscribe()
    if (problem !== undefined) throw new HoldfastError('RealtimeDisabledForConfiguration', 400, problem)
  }

  #subscribe(): Promise<string | undefined> {
    return this.#changes.subscribe(
      {
        topic: this.#topic,
        identity: () => this.#identity ?? NO_IDENTITY,
        deliver: (fanOut) => {
          if (this.#state.kind === 'joined') this.#frames.fanOut(fanOut)
        },
        cut: (reason) => this.cut(reason),
      },
      () => this.#tellChanges(undefined),
    )
  }

  #tellChanges(problem: string | undefined): void {
    if (this.#state.kind === 'joined')
      this.#frames.system('postgres_changes', problem === undefined ? 'ok' : 'error', problem ?? SUBSCRIBED)
  }

  #use(identity: Identity): void {
    this.#watch?.[Symbol.dispose]()
    this.#identity = identity
    this.#watch = this.#context.tokens.watch(identity, (reason) => this.end(reason.message))
  }

  /** A client that gains presence access first receives the full state, because it may have missed changes. */
  #grant({ broadcast, presence }: ReadRights): void {
    this.canReadBroadcasts = broadcast
    if (presence && !this.canReadPresence)
      this.#frames.pushText('presence_state', this.#context.topics.presence(this.name, this.#config.isPrivate))
    this.canReadPresence = presence
  }

  #handle(frame: ClientFrame): void | Promise<void> {
    if (this.#state.kind === 'closed') return this.#frames.reply(frame.ref, 'error', { reason: 'unmatched topic' })
    if (frame.kind === 'broadcast') return this.#broadcastBytes(frame)
    switch (frame.event) {
      case 'phx_leave':
        this.#frames.reply(frame.ref, 'ok', {})
        return this.close('left')
      case 'access_token':
        return this.#takeToken(frame.payload)
      case 'broadcast':
        return this.#broadcastText(frame)
      case 'presence':
        return this.#takePresence(frame)
      default:
        return undefined
    }
  }

  async #takeToken(payload: unknown): Promise<void> {
    const token = parseAccessToken(isRecord(payload) ? payload['access_token'] : undefined)
    if (token === undefined || token === this.#identity?.token) return
    try {
      const identity = await this.#context.tokens.identify(token)
      const rights = await this.#readRights(identity)
      if (this.#state.kind !== 'joined') return
      const hasOtherRole = identity.role !== this.#identity?.role
      this.#use(identity)
      this.#grant(rights)
      // A different role may select different columns.
      if (!hasOtherRole) this.#changes.identityChanged()
      else if (this.#changes.isWanted) this.#tellChanges(await this.#subscribe())
    } catch (error) {
      const { code, message } = this.#toRefusal(error)
      this.end(code === 'Unauthorized' ? accessRevoked(this.name) : message)
    }
  }

  /** Rechecks read rights and ends or mutes the membership if revoked. Write rights are rechecked at the next message. */
  async #askAgain(): Promise<void> {
    const identity = this.#identity
    if (this.#state.kind !== 'joined' || !identity) return
    try {
      const rights = await this.#readRights(identity)
      const mayShow =
        !this.#presence.isShown ||
        (this.#rights.canWrite('presence') ?? (await this.#rights.checkWrite(this.#callerOf(identity), 'presence')))
      if (this.#state.kind !== 'joined') return
      this.#grant(rights)
      if (!mayShow) this.#showChange(this.#presence.untrack())
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'Unauthorized') this.end(accessRevoked(this.name))
      else this.#rights.postpone(this.#context.clock.now())
    }
  }

  #readRights(identity: Identity): Promise<ReadRights> {
    return this.#rights.read(this.#callerOf(identity), this.#wantsPresence, this.#context.clock.now())
  }

  #broadcastBytes({ ref, event, encoding, payload }: BroadcastFrame): void | Promise<void> {
    if (!this.#accepts(ref, payload.length)) return undefined
    return this.#publish(ref, { kind: 'broadcast', from: this.id, broadcast: { event, encoding, payload } })
  }

  #broadcastText({ ref, payload, payloadText: text }: PushFrame): void | Promise<void> {
    if (!isRecord(payload) || text === undefined) return undefined
    const event = payload['event']
    if (typeof event === 'string' && Buffer.byteLength(event) > EVENT_NAME_BYTES_MAX) return undefined
    if (!this.#accepts(ref, Buffer.byteLength(text))) return undefined
    return this.#publish(ref, { kind: 'text', from: this.id, payload: text })
  }

  #accepts(ref: Ref, bytes: number): boolean {
    const { realtimePayloadSizeMax: kilobytesMax } = this.#context.options
    if (bytes <= kilobytesMax * 1_000 + PAYLOAD_ALLOWANCE_BYTES) return true
    if (this.#config.broadcast.ack)
      this.#frames.reply(ref, 'error', { reason: `Payload size exceeds the limit of ${kilobytesMax} kB` })
    return false
  }

  #publish(ref: Ref, message: BusMessage): void | Promise<void> {
    return this.#ifAllowed('broadcast', (isAllowed) => {
      // As in Supabase, a denied sender gets no reply; the client's push times out.
      if (!isAllowed) return
      this.#context.topics.publish(this.name, this.#config.isPrivate, message)
      if (this.#config.broadcast.ack) this.#frames.reply(ref, 'ok', {})
    })
  }

  /** Runs synchronously if the answer is cached. */
  #ifAllowed(extension: Extension, act: (isAllowed: boolean) => void | Promise<void>): void | Promise<void> {
    const known = this.#rights.canWrite(extension)
    if (known !== undefined || !this.#identity) return act(known === true)
    return this.#rights.checkWrite(this.#callerOf(this.#identity), extension).then((isAllowed) => {
      return this.#state.kind === 'joined' ? act(isAllowed) : undefined
    })
  }

  #takePresence({ ref, payload, payloadText = '{}' }: PushFrame): void | Promise<void> {
    if (!this.#presenceCalls.take(1, this.#context.clock.now())) return this.end('Client presence rate limit exceeded')
    const call = parsePresenceCall(payload, payloadText)
    if (call.action === 'refused') return this.#frames.reply(ref, 'error', { reason: call.reason })
    const { shown } = call
    if (shown !== undefined && Buffer.byteLength(shown) > PRESENCE_BYTES_MAX)
      return this.end('Track message size exceeded')
    return this.#ifAllowed('presence', (isAllowed) => {
      const change = isAllowed ? (shown === undefined ? this.#presence.untrack() : this.#track(shown)) : undefined
      if (change === 'full') return this.#frames.reply(ref, 'error', { reason: reasonOf(presenceFull()) })
      this.#frames.reply(ref, 'ok', {})
      this.#showChange(change)
      if (!isAllowed || shown === undefined || this.#wantsPresence) return undefined
      // As in Supabase, tracking also subscribes to presence.
      this.#wantsPresence = true
      return this.#askAgain()
    })
  }

  /** A topic's state is one message, which must fit into a client's send buffer. */
  #track(shown: string): PresenceChange | 'full' | undefined {
    const { options, topics } = this.#context
    const bytesMax = (options.realtimeUnsentSizeMax * 1_024) / 2
    return this.#presence.track(shown, bytesMax - topics.presenceBytes(this.name, this.#config.isPrivate))
  }

  #showChange(change: PresenceChange | undefined): void {
    if (change) this.#context.topics.publish(this.name, this.#config.isPrivate, { kind: 'presence', change })
  }

  #callerOf(identity: Identity): ChannelCaller {
    return callerOf(identity, this.#line.address)
  }

  #failed(error: unknown): void {
    // For example a value nested too deeply to be serialized. The message is dropped.
    this.#context.logger.log('debug', 'a channel message was dropped', { error: errorMessage(error) })
  }

  #toRefusal(error: unknown): HoldfastError {
    if (error instanceof HoldfastError && error.status < 500) return error
    if (error instanceof HoldfastError && error.code === 'UnableToConnectToProject') return error
    this.#context.logger.log('error', 'a channel could not be joined', { error: errorMessage(error) })
    return unknownError(error)
  }
}
