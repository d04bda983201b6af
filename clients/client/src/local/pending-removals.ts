import { readJson, type KeyValueStore } from '../key-value.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { SessionUser } from '../session/session-state.ts'
import { createValue, type Value } from '../value.ts'

/** A user's data to be removed from this device that still exists at least partly. */
export interface PendingRemoval extends SessionUser {
  /** Why the last attempt failed; `undefined` while the first attempt runs or after it was interrupted. */
  readonly problem: string | undefined
}

/** @internal */
export interface StoredRemoval extends PendingRemoval {
  /** Databases up to this generation are removed. */
  readonly generation: number
  /** The user has signed in again: only the old databases are removed. */
  readonly isBack: boolean
}

const KEY = 'holdfast-removals'

/** Persists pending removals, so that a start after a crash continues them. */
export class PendingRemovals {
  readonly #store: KeyValueStore
  readonly #value = createValue<readonly StoredRemoval[]>([])
  readonly #queue = new SerialQueue()

  constructor(store: KeyValueStore) {
    this.#store = store
    const first = this.#queue.run(async () => this.#value.set(await this.#read()))
    first.catch(() => undefined) // the session reports an unreadable store
  }

  get value(): Value<readonly PendingRemoval[]> {
    return this.#value
  }

  /** Reads the store again, because another tab may have written. */
  async list(): Promise<readonly StoredRemoval[]> {
    await this.#change((removals) => removals)
    return this.#value.get()
  }

  async find(userId: string): Promise<StoredRemoval | undefined> {
    return (await this.#read()).find(({ id }) => id === userId)
  }

  put(removal: StoredRemoval): Promise<void> {
    return this.#change((removals) => [...without(removals, removal.id), removal])
  }

  end(userId: string): Promise<void> {
    return this.#change((removals) => without(removals, userId))
  }

  #change(edit: (removals: readonly StoredRemoval[]) => readonly StoredRemoval[]): Promise<void> {
    return this.#queue.run(async () => {
      const before = await this.#read()
      const after = edit(before)
      if (after.length === 0 && before.length > 0) await this.#store.removeItem(KEY)
      else if (after !== before) await this.#store.setItem(KEY, JSON.stringify(after))
      this.#value.set(after)
    })
  }

  async #read(): Promise<readonly StoredRemoval[]> {
    const stored = await readJson<readonly StoredRemoval[]>(this.#store, KEY)
    return Array.isArray(stored) ? stored : []
  }
}

function without(removals: readonly StoredRemoval[], userId: string): readonly StoredRemoval[] {
  return removals.filter(({ id }) => id !== userId)
}
