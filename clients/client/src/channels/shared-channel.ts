import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import { once } from '../once.ts'
import { createValue, type Value } from '../value.ts'
import type { ChannelState } from './channel-state.ts'
import { isHoldingBack, NO_TROUBLE, transition, type TroubleEvent } from './join-failures.ts'
import { DOUBTFUL_ATTEMPTS_MAX, LINGER_MS, PEOPLE_EVERY_MS, RETRY_MS, STABLE_MS, TRACK_EVERY_MS } from './limits.ts'
import { NO_PEOPLE, readPeople, type People } from './read-people.ts'
import type { Socket } from './socket.ts'
import { throttleLatest } from './throttle-latest.ts'

export interface SharedChannelOptions {
  readonly topic: string
  readonly isPrivate: boolean
  readonly supabase: SupabaseClient
  readonly socket: Socket
  /** The user who may join now. */
  readonly gate: Value<string | undefined>
}

/** A topic, joined once for all its users, while there is a connection and a signed-in user. */
export class SharedChannel {
  readonly #options: SharedChannelOptions
  readonly #state = createValue<ChannelState>({ kind: 'offline' })
  readonly #people = createValue<People<unknown>>(NO_PEOPLE)
  readonly #listeners = new Map<string, Set<(payload: unknown) => void>>()
  readonly #shown = new Map<string, object>()
  #stopGate: (() => void) | undefined
  #users = 0
  #linger: ReturnType<typeof setTimeout> | undefined
  #joined: { readonly channel: RealtimeChannel; readonly user: string; readonly at: number } | undefined
  #trouble = NO_TROUBLE
  #retry: ReturnType<typeof setTimeout> | undefined
  #isSettling = false

  readonly state: Value<ChannelState> = this.#state
  readonly people: Value<People<unknown>> = this.#people

  constructor(options: SharedChannelOptions) {
    this.#options = options
  }

  /** @returns a release function; the channel is left shortly after the last one */
  hold(): () => void {
    clearTimeout(this.#linger)
    this.#linger = undefined
    this.#users += 1
    this.#stopGate ??= this.#options.gate.subscribe(() => this.#startAgain())
    void this.#settle()
    return once(() => {
      this.#users -= 1
      if (this.#users === 0) this.#linger = setTimeout(() => this.#end(), LINGER_MS)
    })
  }

  /** @returns unsubscribes */
  listen(event: string, listener: (payload: unknown) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /** Sets presence state of this user. States of several components are merged, later ones win. `undefined` removes it. */
  show(by: string, payload: object | undefined): void {
    if (payload) this.#shown.set(by, payload)
    else this.#shown.delete(by)
    this.#track()
  }

  /** @returns whether it was sent; otherwise it is dropped */
  send(event: string, payload: object): boolean {
    const { supabase } = this.#options
    if (this.#state.get().kind !== 'joined' || !this.#joined || !supabase.realtime.isConnected()) return false
    void this.#joined.channel.send({ type: 'broadcast', event, payload })
    return true
  }

  /** Call on a new access token, which may lift a refusal. */
  tokenChanged(): void {
    if (this.#trouble.kind === 'refused') this.#startAgain()
  }

  readonly #readPeople = throttleLatest(() => {
    const joined = this.#joined
    if (joined) this.#people.set(readPeople(joined.channel.presenceState(), joined.user))
  }, PEOPLE_EVERY_MS)

  readonly #track = throttleLatest(() => {
    if (this.#state.get().kind !== 'joined' || !this.#joined) return
    const { channel } = this.#joined
    // The server ignores unchanged state.
    void (this.#shown.size === 0 ? channel.untrack() : channel.track(Object.assign({}, ...this.#shown.values())))
  }, TRACK_EVERY_MS)

  #startAgain(): void {
    this.#move({ kind: 'reset' })
    void this.#settle()
  }

  /** The user whose membership should exist now. */
  #wanted(): string | undefined {
    const isWanted = this.#users > 0 || this.#linger !== undefined
    return isWanted && !isHoldingBack(this.#trouble) ? this.#options.gate.get() : undefined
  }

  /** Joins and leaves sequentially until the membership is as wanted. */
  async #settle(): Promise<void> {
    this.#tell()
    if (this.#isSettling) return
    this.#isSettling = true
    try {
      for (;;) {
        const wanted = this.#wanted()
        if (this.#joined?.user === wanted) break
        if (this.#joined) await this.#leave()
        else if (wanted !== undefined) await this.#join(wanted)
      }
    } finally {
      this.#isSettling = false
      this.#tell()
    }
  }

  async #join(user: string): Promise<void> {
    const { supabase, socket, topic, isPrivate } = this.#options
    await socket.ready()
    if (this.#wanted() !== user) return
    const channel = supabase.channel(topic, { config: { private: isPrivate, presence: { key: user } } })
    this.#joined = { channel, user, at: Number.POSITIVE_INFINITY }
    channel.on('presence', { event: 'sync' }, () => this.#readPeople())
    channel.on('broadcast', { event: '*' }, ({ event, payload }: { event: string; payload?: unknown }) => {
      for (const listener of this.#listeners.get(event) ?? []) listener(payload)
    })
    channel.subscribe((status, error) => {
      if (this.#joined?.channel !== channel) return
      if (status !== 'SUBSCRIBED') return this.#fail(error?.message ?? status)
      this.#joined = { channel, user, at: Date.now() }
      this.#move({ kind: 'joined' })
      this.#tell()
      if (this.#shown.size > 0) this.#track()
    })
  }

  /** Retries are handled here: realtime-js would retry indefinitely without notice. */
  #fail(reason: string): void {
    const isStable = Date.now() - (this.#joined?.at ?? 0) > STABLE_MS
    this.#move({ kind: 'failed', reason, isStable })
    void this.#settle()
  }

  /** Keeps a timer while the trouble is to be waited out. */
  #move(event: TroubleEvent): void {
    const before = this.#trouble
    this.#trouble = transition(before, event)
    if (this.#trouble === before) return
    clearTimeout(this.#retry)
    if (this.#trouble.kind !== 'waiting') return
    const delayMs = RETRY_MS[Math.min(this.#trouble.failures, RETRY_MS.length) - 1] ?? 0
    this.#retry = setTimeout(
      () => {
        this.#move({ kind: 'delay over' })
        void this.#settle()
      },
      delayMs * (1 + Math.random() / 2),
    )
  }

  async #leave(): Promise<void> {
    const joined = this.#joined
    this.#joined = undefined
    this.#readPeople.cancel()
    this.#track.cancel()
    this.#people.set(NO_PEOPLE)
    this.#tell()
    if (joined) await this.#options.socket.leave(joined.channel)
  }

  #end(): void {
    this.#linger = undefined
    this.#stopGate?.()
    this.#stopGate = undefined
    this.#move({ kind: 'delay over' })
    void this.#settle()
  }

  #tell(): void {
    const next = this.#stateNow()
    const shown = this.#state.get()
    const reasonOf = (state: ChannelState): string => ('reason' in state ? state.reason : '')
    if (next.kind !== shown.kind || reasonOf(next) !== reasonOf(shown)) this.#state.set(next)
  }

  #stateNow(): ChannelState {
    if (this.#options.gate.get() === undefined) return { kind: 'offline' }
    if (this.#joined && Number.isFinite(this.#joined.at)) return { kind: 'joined' }
    const trouble = this.#trouble
    if (trouble.kind === 'none') return { kind: 'joining' }
    const { kind, failures, reason } = trouble
    if (kind === 'refused') return { kind, reason }
    return failures >= DOUBTFUL_ATTEMPTS_MAX ? { kind: 'unavailable', reason } : { kind: 'joining' }
  }
}
