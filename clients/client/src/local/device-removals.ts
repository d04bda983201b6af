import { SerialQueue } from '../serial-queue.ts'
import { errorMessage } from '@holdfast/protocol'
import type { Session } from '../session/session.ts'
import type { SessionUser } from '../session/session-state.ts'
import { DataRemains } from './data-remains.ts'
import { skipGenerations } from './local-file.ts'
import type { PendingRemovals, StoredRemoval } from './pending-removals.ts'
import type { RemoveUserDataOptions } from './remove-user-data.ts'

export interface DeviceRemovalsOptions extends RemoveUserDataOptions {
  readonly removals: PendingRemovals
  readonly session: Session
}

/** Removes user data from a device and retries failures. */
export class DeviceRemovals {
  readonly #options: DeviceRemovalsOptions
  /** Running retries. Only the affected users wait for them. */
  readonly #retries = new SerialQueue()

  constructor(options: DeviceRemovalsOptions) {
    this.#options = options
  }

  /** Resumes removals of earlier starts. If the user's session still exists, the page was closed while leaving. */
  begin(currentUser: () => Promise<SessionUser | undefined>): void {
    const { removals, session } = this.#options
    this.#inTurn(async () => {
      if ((await removals.list()).length === 0) return
      const user = await currentUser()
      const own = user && (await removals.find(user.id))
      if (own && !own.isBack) await session.leave()
      await this.#retryAll()
    })
  }

  /** Never throws. */
  retry(): Promise<void> {
    return this.#inTurn(() => this.#retryAll())
  }

  settled(): Promise<void> {
    return this.#retries.settled()
  }

  /** @returns the error if any data remains; it is also stored with the removal */
  async attempt(removal: StoredRemoval): Promise<DataRemains | undefined> {
    const { removals, onProblem } = this.#options
    try {
      // Imported on demand, so sign-in screens start without SQLite.
      const { removeUserData } = await import('./remove-user-data.ts')
      await removeUserData(removal, this.#options)
      await removals.end(removal.id)
      return undefined
    } catch (error) {
      const remains = new DataRemains(removal.id, error)
      const problem = errorMessage(error)
      await removals.put({ ...removal, problem }).catch(onProblem)
      return remains
    }
  }

  /** A user with a pending removal signs in again: the old database is not opened. */
  async comeBack(userId: string): Promise<void> {
    const { removals, store } = this.#options
    if (!(await removals.find(userId))) return
    await this.#retries.settled()
    const pending = await removals.find(userId)
    if (!pending || pending.isBack) return
    await skipGenerations(store, userId, pending.generation)
    await removals.put({ ...pending, isBack: true })
  }

  async #retryAll(): Promise<void> {
    for (const removal of await this.#options.removals.list()) {
      const remains = await this.attempt(removal)
      if (remains) this.#options.onProblem(remains)
    }
  }

  #inTurn(body: () => Promise<void>): Promise<void> {
    return this.#retries.run(body).catch(this.#options.onProblem)
  }
}
