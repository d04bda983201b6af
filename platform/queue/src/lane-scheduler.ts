import { LANES_REMEMBERED } from './limits.ts'
import type { Lane } from './queue-table.ts'

/**
 * Chooses whose jobs run next: the lane with jobs whose last turn was longest ago, so a lane with a million jobs delays another by a single one. A group
 * (lanes with the same first value) gets a limited share of the slots, so a hanging one does not affect others.
 */
export class LaneScheduler {
  readonly #slots: number
  readonly #groupSlots: number
  readonly #perGroup = new Map<string, number>()
  /** Last turn of each lane, the oldest first. */
  readonly #lastTurns = new Map<string, number>()
  #taken = 0
  #turn = 0

  constructor(slots: number, groupSlots: number) {
    this.#slots = slots
    this.#groupSlots = groupSlots
  }

  get free(): number {
    return this.#slots - this.#taken
  }

  /** Returns how many turns of each lane may begin now. */
  share(due: readonly Lane[]): ReadonlyMap<Lane, number> {
    const inTurn = due.toSorted((a, b) => this.#lastTurn(a) - this.#lastTurn(b))
    const wanted = new Map<Lane, number>()
    const perGroup = new Map(this.#perGroup)
    let free = this.free
    for (let round = 1; round <= this.#groupSlots && free > 0; round++)
      for (const lane of inTurn) {
        const used = perGroup.get(groupOf(lane)) ?? 0
        if (free === 0 || used >= this.#groupSlots) continue
        wanted.set(lane, round)
        perGroup.set(groupOf(lane), used + 1)
        free--
      }
    return wanted
  }

  /** Takes a slot for the lane. */
  begin(lane: Lane): void {
    this.#taken++
    this.#perGroup.set(groupOf(lane), (this.#perGroup.get(groupOf(lane)) ?? 0) + 1)
    const key = keyOf(lane)
    this.#lastTurns.delete(key)
    this.#lastTurns.set(key, ++this.#turn)
    for (const oldest of this.#lastTurns.keys()) {
      if (this.#lastTurns.size <= LANES_REMEMBERED) break
      this.#lastTurns.delete(oldest)
    }
  }

  /** Releases the slot. */
  end(lane: Lane): void {
    const group = groupOf(lane)
    this.#taken--
    const left = (this.#perGroup.get(group) ?? 1) - 1
    if (left > 0) this.#perGroup.set(group, left)
    else this.#perGroup.delete(group)
  }

  #lastTurn(lane: Lane): number {
    return this.#lastTurns.get(keyOf(lane)) ?? 0
  }
}

const keyOf = (lane: Lane): string => JSON.stringify(lane)

const groupOf = (lane: Lane): string => lane[0] ?? ''
