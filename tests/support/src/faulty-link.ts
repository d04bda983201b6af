import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { NO_FAULTS, openLane, type Lane, type LaneFaults } from './link-lane.ts'

/** `up`: from client to server; `down`: responses. */
export type LinkDirection = 'up' | 'down'

/** A faulty connection to a server: a TCP proxy on the loopback interface. */
export interface FaultyLink extends AsyncDisposable {
  /** The server's URL through this link. */
  readonly url: string
  /** Closes all connections; new ones are accepted immediately. */
  cut(): void
  /** Closes all connections and refuses new ones until {@link FaultyLink.mend}. */
  sever(): void
  /** Reverses {@link FaultyLink.sever}. */
  mend(): void
  /** Closes connections only on the server's side: clients get neither a response nor a close. New connections are accepted immediately. */
  abandon(): void
  /** Stops reading and forwarding while all sockets stay open, in both directions unless one is given, until {@link FaultyLink.flow}. */
  stall(direction?: LinkDirection): void
  /** Reads everything and forwards nothing, so that senders assume delivery. Until {@link FaultyLink.flow}, which cuts connections that lost bytes. */
  swallow(direction?: LinkDirection): void
  /** Resumes forwarding. */
  flow(direction?: LinkDirection): void
  /** From now on, forwards responses in pieces of this many bytes, one per ms. 0: unchanged. */
  slow(bytes: number): void
  /** Limits the rate of reading and forwarding. 0: unlimited. */
  limitRate(bytesPerSecond: number, direction?: LinkDirection): void
  /** Cuts each connection after this many bytes in this direction. Infinity: never. */
  cutAfter(bytes: number, direction: LinkDirection): void
  /** From now on, holds new connections until there are this many, then admits them in reverse order. 1: immediately. */
  reorder(count: number): void
  /**
   * Breaks the connections of the next `count` requests that begin with `head`. `answer`: when the server answers, so that it has done its work and the
   * client does not know; `request`: as soon as the request has been passed on.
   */
  breakRequests(options: { readonly head: string; readonly at: 'answer' | 'request'; readonly count: number }): void
  /** Number of requests broken so far. */
  readonly broken: number
  /** Number of connections admitted so far. */
  readonly connections: number
  /** Number of connections held by {@link FaultyLink.reorder}. */
  readonly held: number
  /** Number of bytes swallowed so far, in both directions. */
  readonly swallowed: number
}

/** Interval in ms between forwarded pieces at a limited rate. */
const PIECE_MS = 20

/** @param target - the server's URL, such as `http://127.0.0.1:54321` */
export async function openFaultyLink(target: string): Promise<FaultyLink> {
  const link = new TcpProxy(target)
  await link.listen()
  return link
}

class TcpProxy implements FaultyLink {
  readonly #hostname: string
  readonly #port: number
  readonly #open = new Set<Socket>()
  readonly #lanes = new Set<Lane>()
  /** Connections whose server side {@link FaultyLink.abandon} closed. */
  readonly #abandoned = new WeakSet<Socket>()
  readonly #nearOf = new Map<Socket, Socket>()
  readonly #faults: Record<LinkDirection, LaneFaults> = { up: { ...NO_FAULTS }, down: { ...NO_FAULTS } }
  readonly #server: Server
  #url = ''
  #severed = false
  #plan = { head: '', at: 'answer' as 'answer' | 'request', count: 0 }
  #broken = 0
  #connections = 0
  #heldMax = 1
  #held: Socket[] = []
  #swallowed = 0

  constructor(target: string) {
    const { hostname, port } = new URL(target)
    this.#hostname = hostname
    this.#port = Number(port)
    this.#server = createServer({ noDelay: true }, (near) => {
      if (this.#severed) return void near.destroy()
      this.#open.add(near)
      near.on('error', () => near.destroy())
      near.on('close', () => this.#open.delete(near))
      this.#held.push(near)
      this.#releaseHeld()
    })
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return this.#url
  }

  get broken(): number {
    return this.#broken
  }

  get connections(): number {
    return this.#connections
  }

  get held(): number {
    return this.#held.length
  }

  get swallowed(): number {
    return this.#swallowed
  }

  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }

  abandon(): void {
    for (const [far, near] of this.#nearOf) {
      this.#abandoned.add(near)
      far.destroy()
    }
  }

  sever(): void {
    this.#severed = true
    this.cut()
  }

  mend(): void {
    this.#severed = false
  }

  stall(direction?: LinkDirection): void {
    this.#change({ mode: 'stall' }, direction)
  }

  swallow(direction?: LinkDirection): void {
    this.#change({ mode: 'swallow' }, direction)
  }

  flow(direction?: LinkDirection): void {
    this.#change({ mode: 'flow' }, direction)
  }

  slow(bytes: number): void {
    this.#change({ pieceBytes: bytes, pauseMs: 1 }, 'down')
  }

  limitRate(bytesPerSecond: number, direction?: LinkDirection): void {
    this.#change({ pieceBytes: Math.ceil((bytesPerSecond * PIECE_MS) / 1_000), pauseMs: PIECE_MS }, direction)
  }

  cutAfter(bytes: number, direction: LinkDirection): void {
    this.#change({ bytesMax: bytes }, direction)
  }

  reorder(count: number): void {
    this.#heldMax = count
    this.#releaseHeld()
  }

  breakRequests(options: { readonly head: string; readonly at: 'answer' | 'request'; readonly count: number }): void {
    this.#plan = { ...options }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sever()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #releaseHeld(): void {
    if (this.#held.length < this.#heldMax) return
    const released = this.#held.toReversed()
    this.#held = []
    for (const near of released) if (!near.destroyed) this.#pass(near)
  }

  #pass(near: Socket): void {
    this.#connections++
    const far = connect({ host: this.#hostname, port: this.#port, noDelay: true })
    const mine: Lane[] = []
    const end = (): void => {
      if (!this.#abandoned.has(near)) near.destroy()
      far.destroy()
      this.#open.delete(far)
      this.#nearOf.delete(far)
      for (const lane of mine) this.#lanes.delete(lane)
    }
    this.#open.add(far)
    this.#nearOf.set(far, near)
    for (const [socket, other, lane] of [
      [near, far, this.#faults.up],
      [far, near, this.#faults.down],
    ] as const) {
      socket.on('error', end)
      // Bytes on their way to the other side arrive when this one has ended in order.
      socket.on('close', () => {
        if (!other.writableEnded && lane.mode !== 'swallow') end()
      })
    }
    /** Whether its request will be broken, so that the response is not forwarded. */
    let isDoomed = false
    const onRequest = (bytes: Buffer): (() => void) | undefined => {
      const isBroken =
        this.#plan.count > 0 && bytes.subarray(0, this.#plan.head.length).toString('latin1') === this.#plan.head
      if (!isBroken) return undefined
      this.#plan.count--
      this.#broken++
      // On a busy machine, a response may arrive before the timer fires.
      isDoomed = true
      return this.#plan.at === 'request' ? () => setTimeout(end, 1) : undefined
    }
    const onAnswer = (): undefined => {
      if (isDoomed) end()
    }
    const onSwallow = (bytes: number): void => void (this.#swallowed += bytes)
    mine.push(openLane({ from: near, to: far, faults: this.#faults.up, onBytes: onRequest, onSwallow, cut: end }))
    mine.push(openLane({ from: far, to: near, faults: this.#faults.down, onBytes: onAnswer, onSwallow, cut: end }))
    for (const lane of mine) this.#lanes.add(lane)
  }

  #change(changed: Partial<LaneFaults>, direction?: LinkDirection): void {
    for (const name of direction ? [direction] : (['up', 'down'] as const)) Object.assign(this.#faults[name], changed)
    for (const lane of this.#lanes) lane.refresh()
  }
}
