import { LANES_REMEMBERED, RECEIVER_SHARE } from './limits.ts'
import type { Lane } from './queue.ts'

/**
 * Whose requests are sent next. A receiver has a part of the connections at most, so that one that hangs costs the others nothing; and of those who have something
 * for it, the one whose last turn is the longest ago comes first, so that a table with a million requests delays another one by a single request.
 */
export class Turns {
  readonly #connectionsMax: number
  readonly #receiverMax: number
  readonly #perReceiver = new Map<string, number>()
  /** Lanes by their last turn, the oldest first. */
  readonly #lastTurns = new Map<string, number>()
  #sending = 0
  #turn = 0

  constructor(connectionsMax: number) {
    this.#connectionsMax = connectionsMax
    this.#receiverMax = Math.max(1, Math.floor(connectionsMax / RECEIVER_SHARE))
  }

  /** Connections that nobody uses. */
  get free(): number {
    return this.#connectionsMax - this.#sending
  }

  /** How many requests of which lanes may begin now. */
  share(due: readonly Lane[]): ReadonlyMap<Lane, number> {
    const inTurn = due.toSorted((a, b) => this.#lastTurn(a) - this.#lastTurn(b))
    const wanted = new Map<Lane, number>()
    const perReceiver = new Map(this.#perReceiver)
    let free = this.free
    for (let round = 1; round <= this.#receiverMax && free > 0; round++)
      for (const lane of inTurn) {
        const used = perReceiver.get(lane.receiver) ?? 0
        if (free === 0 || used >= this.#receiverMax) continue
        wanted.set(lane, round)
        perReceiver.set(lane.receiver, used + 1)
        free--
      }
    return wanted
  }

  /** A request of the lane is being sent from now on. */
  begin(lane: Lane): void {
    this.#sending++
    this.#perReceiver.set(lane.receiver, (this.#perReceiver.get(lane.receiver) ?? 0) + 1)
    const key = keyOf(lane)
    this.#lastTurns.delete(key)
    this.#lastTurns.set(key, ++this.#turn)
    for (const oldest of this.#lastTurns.keys()) {
      if (this.#lastTurns.size <= LANES_REMEMBERED) break
      this.#lastTurns.delete(oldest)
    }
  }

  end({ receiver }: Lane): void {
    this.#sending--
    const left = (this.#perReceiver.get(receiver) ?? 1) - 1
    if (left > 0) this.#perReceiver.set(receiver, left)
    else this.#perReceiver.delete(receiver)
  }

  #lastTurn(lane: Lane): number {
    return this.#lastTurns.get(keyOf(lane)) ?? 0
  }
}

function keyOf({ receiver, source }: Lane): string {
  return JSON.stringify([receiver, source])
}
