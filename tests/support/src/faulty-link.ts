import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { NO_FAULTS, openLane, type Lane, type LaneFaults } from './link-lane.ts'

/** `up`: from the client to the server; `down`: its answers. */
export type LinkDirection = 'up' | 'down'

/** A line to a server on which anything can go wrong: a TCP proxy on the loopback. */
export interface FaultyLink extends AsyncDisposable {
  /** The server's address through this line. */
  readonly url: string
  /** Ends all connections; new ones are possible at once. */
  cut(): void
  /** Ends all connections and refuses new ones until {@link FaultyLink.mend}. */
  sever(): void
  /** Takes back {@link FaultyLink.sever}. */
  mend(): void
  /** Passes nothing on and reads nothing, while all sockets stay open. Both directions unless one is named, until {@link FaultyLink.flow}. */
  stall(direction?: LinkDirection): void
  /** Reads everything and passes nothing on: the sender believes that it arrived. Until {@link FaultyLink.flow}, which cuts what has lost bytes. */
  swallow(direction?: LinkDirection): void
  /** Passes on again what was stalled or swallowed. */
  flow(direction?: LinkDirection): void
  /** Lets answers through in pieces of so many bytes, one a millisecond, from now on. 0: as they come. */
  slow(bytes: number): void
  /** Lets so many bytes a second through, and reads no faster. 0: as they come. */
  limitRate(bytesPerSecond: number, direction?: LinkDirection): void
  /** Cuts each connection when so many bytes have gone through it in this direction. Infinity: never. */
  cutAfter(bytes: number, direction: LinkDirection): void
  /** Holds new connections until there are so many, and lets them through in reverse order, from now on. 1: as they come. */
  reorder(count: number): void
  /**
   * Breaks the connections of the next `count` requests that begin with `head`. `answer`: when the server answers, so that it has done its work and the
   * client does not know; `request`: as soon as the request has been passed on.
   */
  breakRequests(options: { readonly head: string; readonly at: 'answer' | 'request'; readonly count: number }): void
  /** Requests broken so far. */
  readonly broken: number
  /** Connections that were let through so far. */
  readonly connections: number
  /** Connections that {@link FaultyLink.reorder} holds. */
  readonly held: number
  /** Bytes swallowed so far, in both directions. */
  readonly swallowed: number
}

/** How often a limited rate passes a piece on, in milliseconds. */
const PIECE_MS = 20

/** @param target - the server's address, such as `http://127.0.0.1:54321` */
export async function openFaultyLink(target: string): Promise<FaultyLink> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const lanes = new Set<Lane>()
  const faults: Record<LinkDirection, LaneFaults> = { up: { ...NO_FAULTS }, down: { ...NO_FAULTS } }
  let severed = false
  let plan = { head: '', at: 'answer' as 'answer' | 'request', count: 0 }
  let broken = 0
  let connections = 0
  let heldMax = 1
  let held: Socket[] = []
  let swallowed = 0

  const server = createServer({ noDelay: true }, (near) => {
    if (severed) return void near.destroy()
    open.add(near)
    near.on('error', () => near.destroy())
    near.on('close', () => open.delete(near))
    held.push(near)
    releaseHeld()
  })

  function releaseHeld(): void {
    if (held.length < heldMax) return
    const released = held.toReversed()
    held = []
    for (const near of released) if (!near.destroyed) pass(near)
  }

  function pass(near: Socket): void {
    connections++
    const far = connect({ host: hostname, port: Number(port), noDelay: true })
    const mine: Lane[] = []
    const end = (): void => {
      near.destroy()
      far.destroy()
      open.delete(far)
      for (const lane of mine) lanes.delete(lane)
    }
    open.add(far)
    for (const [socket, other, lane] of [
      [near, far, faults.up],
      [far, near, faults.down],
    ] as const) {
      socket.on('error', end)
      // What is on its way to the other side arrives when this one has ended in order.
      socket.on('close', () => {
        if (!other.writableEnded && lane.mode !== 'swallow') end()
      })
    }
    /** Its request is to be broken; the answer is not passed on. */
    let isDoomed = false
    const onRequest = (bytes: Buffer): (() => void) | undefined => {
      const isBroken = plan.count > 0 && bytes.subarray(0, plan.head.length).toString('latin1') === plan.head
      if (!isBroken) return undefined
      plan.count--
      broken++
      // On a busy machine an answer may come before the timer.
      isDoomed = true
      return plan.at === 'request' ? () => setTimeout(end, 1) : undefined
    }
    const onAnswer = (): undefined => {
      if (isDoomed) end()
    }
    const onSwallow = (bytes: number): void => void (swallowed += bytes)
    mine.push(openLane({ from: near, to: far, faults: faults.up, onBytes: onRequest, onSwallow, cut: end }))
    mine.push(openLane({ from: far, to: near, faults: faults.down, onBytes: onAnswer, onSwallow, cut: end }))
    for (const lane of mine) lanes.add(lane)
  }

  function change(changed: Partial<LaneFaults>, direction?: LinkDirection): void {
    for (const name of direction ? [direction] : (['up', 'down'] as const)) Object.assign(faults[name], changed)
    for (const lane of lanes) lane.refresh()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    sever() {
      severed = true
      cut()
    },
    mend: () => void (severed = false),
    stall: (direction) => change({ mode: 'stall' }, direction),
    swallow: (direction) => change({ mode: 'swallow' }, direction),
    flow: (direction) => change({ mode: 'flow' }, direction),
    slow: (bytes) => change({ pieceBytes: bytes, pauseMs: 1 }, 'down'),
    limitRate: (bytesPerSecond, direction) =>
      change({ pieceBytes: Math.ceil((bytesPerSecond * PIECE_MS) / 1_000), pauseMs: PIECE_MS }, direction),
    cutAfter: (bytes, direction) => change({ bytesMax: bytes }, direction),
    reorder(count) {
      heldMax = count
      releaseHeld()
    },
    breakRequests: (options) => void (plan = { ...options }),
    get broken() {
      return broken
    },
    get connections() {
      return connections
    },
    get held() {
      return held.length
    },
    get swallowed() {
      return swallowed
    },
    async [Symbol.asyncDispose]() {
      severed = true
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
