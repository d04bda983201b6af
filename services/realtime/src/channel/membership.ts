import { randomUUID } from 'node:crypto'
import { delay, errorMessage, HoldfastError } from '@holdfast/foundation'
import type { Asker, Extension, ReadRights } from '../access/rights.ts'
import type { Identity } from '../access/tokens.ts'
import type { BusMessage } from '../bus/bus.ts'
import { privateOnly, reasonOf, tokenExpired, unknownError } from '../errors.ts'
import {
  EVENT_NAME_BYTES_MAX,
  PAYLOAD_ALLOWANCE_BYTES,
  PRESENCE_BYTES_MAX,
  PRESENCE_WINDOW_S,
  REFUSAL_DELAY_MS,
  WAITING_MESSAGES_MAX,
} from '../limits.ts'
import type { PresenceChange } from '../presence/presence.ts'
import { isRecord } from '../wire/decode.ts'
import type { FanOut } from '../wire/encode.ts'
import type { BroadcastFrame, ClientFrame, PushFrame, Ref } from '../wire/frames.ts'
import type { ChannelContext, Line } from './context.ts'
import { type JoinConfig, parseAccessToken, parseJoin } from './join-config.ts'
import { MemberPresence } from './member-presence.ts'
import { MemberRights } from './member-rights.ts'
import { type CloseReason, type MembershipState, nextState } from './membership-state.ts'
import { answerPostgresChanges, POSTGRES_CHANGES_REFUSED } from './postgres-changes.ts'
import { Rate } from './rate.ts'
import { requireName } from './topic.ts'
import type { Member } from './topics.ts'
import { Turns } from './turns.ts'

/** One channel that one client has joined, from its join to its end. */
export class Membership implements Member {
  readonly id = randomUUID()
  readonly name: string
  readonly isEchoed: boolean
  canReadBroadcasts = false
  canReadPresence = false
  readonly #context: ChannelContext
  readonly #line: Line
  readonly #topic: string
  readonly #joinRef: Ref
  readonly #config: JoinConfig
  readonly #turns: Turns
  readonly #rights: MemberRights
  readonly #presence: MemberPresence
  readonly #presenceCalls: Rate
  readonly #onClosed: (membership: Membership) => void
  #state: MembershipState = { kind: 'joining' }
  #identity: Identity | undefined
  #watch: Disposable | undefined

  constructor(
    context: ChannelContext,
    line: Line,
    join: { readonly name: string; readonly frame: PushFrame },
    onClosed: (membership: Membership) => void,
  ) {
    const { name, frame } = join
    this.#context = context
    this.#line = line
    this.name = name
    this.#topic = frame.topic
    // A client of 1.0.0 may leave the ref of the join out.
    this.#joinRef = frame.joinRef ?? frame.ref
    this.#config = parseJoin(frame.payload)
    this.isEchoed = this.#config.broadcast.self
    this.#onClosed = onClosed
    this.#rights = new MemberRights(context.rights, name, this.#config.isPrivate)
    this.#presence = new MemberPresence(this.#config.presence.key)
    const callsMax = context.options.realtimePresenceCallsMax
    this.#presenceCalls = new Rate(callsMax / PRESENCE_WINDOW_S, context.clock.now(), callsMax)
    this.#turns = new Turns({
      waitingMax: WAITING_MESSAGES_MAX,
      onFull: () => line.hold(),
      onRoom: () => line.release(),
      onError: (error) => this.#failed(error),
    })
    this.#turns.run(() => this.#join(frame.ref))
  }

  get state(): MembershipState {
    return this.#state
  }

  /** Takes a message of the client, after those before it. */
  handle(frame: ClientFrame): void {
    this.#turns.run(() => this.#handle(frame))
  }

  deliver(fanOut: FanOut): void {
    const frame = fanOut.frame(this.#line.version)
    if (frame) this.#line.sendFrame(frame)
  }

  /** Ends it when its token has expired. */
  checkToken(nowS: number): void {
    const { expiresAtS } = this.#identity ?? {}
    if (expiresAtS !== undefined && expiresAtS <= nowS)
      this.end(tokenExpired(Math.max(0, Math.floor(nowS - expiresAtS))).message)
  }

  /** Tells the client why, and ends it. */
  end(message: string): void {
    if (this.#state.kind === 'closed') return
    this.#system('system', 'error', message)
    this.close('ended')
  }

  close(because: CloseReason): void {
    const wasClosed = this.#state.kind === 'closed'
    this.#state = nextState(this.#state, { kind: 'closed', because })
    if (wasClosed) return
    this.#showChange(this.#presence.untrack())
    this.#context.topics.remove(this.name, this.#config.isPrivate, this)
    this.#watch?.[Symbol.dispose]()
    this.#onClosed(this)
    if (because !== 'refused' && because !== 'disconnected') this.#push('phx_close', {}, this.#joinRef)
  }

  async #join(ref: Ref): Promise<void> {
    try {
      requireName(this.name)
      const { isPrivate, accessToken } = this.#config
      if (this.#context.options.realtimePrivateOnly && !isPrivate) throw privateOnly()
      const identity = await this.#context.tokens.identify(accessToken ?? this.#line.identity.token)
      const rights = await this.#rights.read(this.#asker(identity), this.#config.presence.isEnabled)
      if (this.#state.kind === 'closed') return
      this.#use(identity, rights)
      this.#joined(ref)
    } catch (error) {
      const refusal = this.#toRefusal(error)
      await delay(REFUSAL_DELAY_MS)
      if (this.#state.kind === 'closed') return
      this.close('refused')
      this.#reply(ref, 'error', { reason: reasonOf(refusal) })
    }
  }

  #joined(ref: Ref): void {
    const { isPrivate, postgresChanges, wantsReplicationReady } = this.#config
    this.#state = nextState(this.#state, { kind: 'accepted' })
    this.#context.topics.add(this.name, isPrivate, this)
    this.#reply(ref, 'ok', { postgres_changes: answerPostgresChanges(postgresChanges) })
    if (this.canReadPresence) this.#push('presence_state', this.#context.topics.presence(this.name, isPrivate), null)
    if (wantsReplicationReady) this.#system('system', 'ok', 'Replication connection established')
    if (postgresChanges.length > 0) this.#system('postgres_changes', 'error', POSTGRES_CHANGES_REFUSED)
  }

  #use(identity: Identity, rights: ReadRights): void {
    this.canReadBroadcasts = rights.broadcast
    this.canReadPresence = rights.presence
    this.#watch?.[Symbol.dispose]()
    this.#identity = identity
    this.#watch = this.#context.tokens.watch(identity, (reason) => this.end(reason.message))
  }

  #handle(frame: ClientFrame): void | Promise<void> {
    if (this.#state.kind === 'closed') return this.#unmatched(frame.ref)
    if (frame.kind === 'broadcast') return this.#broadcastBytes(frame)
    switch (frame.event) {
      case 'phx_leave':
        this.#reply(frame.ref, 'ok', {})
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
      const rights = await this.#rights.read(this.#asker(identity), this.#config.presence.isEnabled)
      if (this.#state.kind === 'joined') this.#use(identity, rights)
    } catch (error) {
      const { code, message } = this.#toRefusal(error)
      this.end(
        code === 'Unauthorized'
          ? `You no longer have permission to read from this Channel topic: ${this.name}`
          : message,
      )
    }
  }

  #broadcastBytes({ ref, event, encoding, payload }: BroadcastFrame): void | Promise<void> {
    if (!this.#accepts(ref, payload.length)) return undefined
    return this.#publish(ref, { kind: 'broadcast', from: this.id, broadcast: { event, encoding, payload } })
  }

  #broadcastText({ ref, payload }: PushFrame): void | Promise<void> {
    if (!isRecord(payload)) return undefined
    const event = payload['event']
    if (typeof event === 'string' && Buffer.byteLength(event) > EVENT_NAME_BYTES_MAX) return undefined
    const text = JSON.stringify(payload)
    if (!this.#accepts(ref, Buffer.byteLength(text))) return undefined
    return this.#publish(ref, { kind: 'text', from: this.id, payload: text })
  }

  #accepts(ref: Ref, bytes: number): boolean {
    const { realtimePayloadSizeMax: kilobytesMax } = this.#context.options
    if (bytes <= kilobytesMax * 1_000 + PAYLOAD_ALLOWANCE_BYTES) return true
    if (this.#config.broadcast.ack)
      this.#reply(ref, 'error', { reason: `Payload size exceeds the limit of ${kilobytesMax} kB` })
    return false
  }

  #publish(ref: Ref, message: BusMessage): void | Promise<void> {
    return this.#ifAllowed('broadcast', (isAllowed) => {
      // Who may not send is not told, as with Supabase: the client's push times out.
      if (!isAllowed) return
      this.#context.topics.publish(this.name, this.#config.isPrivate, message)
      if (this.#config.broadcast.ack) this.#reply(ref, 'ok', {})
    })
  }

  /** Does it at once where the answer is known. */
  #ifAllowed(extension: Extension, act: (isAllowed: boolean) => void): void | Promise<void> {
    const known = this.#rights.canWrite(extension)
    if (known !== undefined || !this.#identity) return act(known === true)
    return this.#rights.askWrite(this.#asker(this.#identity), extension).then((isAllowed) => {
      if (this.#state.kind === 'joined') act(isAllowed)
    })
  }

  #takePresence({ ref, payload }: PushFrame): void | Promise<void> {
    if (!this.#presenceCalls.take(1, this.#context.clock.now())) return this.end('Client presence rate limit exceeded')
    const { event, payload: shown = {} } = isRecord(payload) ? payload : {}
    const action = typeof event === 'string' ? event.toLowerCase() : ''
    if (action !== 'track' && action !== 'untrack')
      return this.#reply(ref, 'error', { reason: 'A presence event is track or untrack' })
    if (!isRecord(shown)) return this.#reply(ref, 'error', { reason: 'Presence track payload must be a map' })
    if (Buffer.byteLength(JSON.stringify(shown)) > PRESENCE_BYTES_MAX) return this.end('Track message size exceeded')
    return this.#ifAllowed('presence', (isAllowed) => {
      this.#reply(ref, 'ok', {})
      if (isAllowed) this.#showChange(action === 'track' ? this.#presence.track(shown) : this.#presence.untrack())
    })
  }

  #showChange(change: PresenceChange | undefined): void {
    if (change) this.#context.topics.publish(this.name, this.#config.isPrivate, { kind: 'presence', change })
  }

  #asker({ role, claims }: Identity): Asker {
    const { sub } = claims
    const person = typeof sub === 'string' ? sub : `address ${this.#line.address}`
    return { role, claims, person: role === 'service_role' ? undefined : person }
  }

  #unmatched(ref: Ref): void {
    this.#reply(ref, 'error', { reason: 'unmatched topic' })
  }

  #reply(ref: Ref, status: 'ok' | 'error', response: unknown): void {
    this.#push('phx_reply', { status, response }, ref)
  }

  #system(extension: string, status: 'ok' | 'error', message: string): void {
    this.#push('system', { extension, status, message, channel: this.name }, null)
  }

  #push(event: string, payload: unknown, ref: Ref): void {
    this.#line.send({ joinRef: this.#joinRef, ref, topic: this.#topic, event, payload })
  }

  #failed(error: unknown): void {
    // A value so deeply nested that it cannot be written again, and the like: the message is dropped.
    this.#context.logger.log('debug', 'a message of a channel was dropped', { error: errorMessage(error) })
  }

  #toRefusal(error: unknown): HoldfastError {
    if (error instanceof HoldfastError && error.status < 500) return error
    if (error instanceof HoldfastError && error.code === 'UnableToConnectToProject') return error
    this.#context.logger.log('error', 'a channel could not be joined', { error: errorMessage(error) })
    return unknownError(error)
  }
}
