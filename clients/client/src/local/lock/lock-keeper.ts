import { errorMessage } from '@holdfast/protocol'
import { pause } from '../../pause.ts'
import type { DeviceUsers } from '../../session/device-users.ts'
import type { Session } from '../../session/session.ts'
import { retryDelayMs } from '../../upload/backoff.ts'
import { CannotUnlock } from './cannot-unlock.ts'
import { DataNotLocked } from './data-not-locked.ts'
import type { DeviceLock } from './device-lock.ts'
import { SealBroken } from './sealed-stream.ts'

export interface LockKeeperOptions {
  readonly lock: DeviceLock
  readonly people: DeviceUsers
  readonly session: Session
  /** 0 to 1. */
  readonly random: () => number
  readonly onProblem: (error: unknown) => void
}

/** Locks and unlocks the data of a device's users as they come and go. */
export class LockKeeper {
  readonly #options: LockKeeperOptions

  constructor(options: LockKeeperOptions) {
    this.#options = options
  }

  /** @returns whether the data can be locked. Never throws */
  async prepare(userId: string): Promise<boolean> {
    const { lock, session, onProblem } = this.#options
    try {
      const token = await session.tokensOf(userId).token()
      if (token !== undefined) await lock.prepare(userId, token)
    } catch (error) {
      onProblem(error) // such as being offline
    }
    return lock.isPrepared(userId)
  }

  async begin(userId: string): Promise<void> {
    await this.#options.lock.begin(userId)
  }

  /** @throws {DataNotLocked} */
  async finish(): Promise<void> {
    const { lock, people } = this.#options
    let failed: DataNotLocked | undefined
    for (const { id, isSignedOut } of await people.list()) {
      if (!isSignedOut) continue
      try {
        await lock.lock(id)
        if (await lock.isLocked(id)) await people.rememberLock(id)
      } catch (error) {
        failed ??= new DataNotLocked(id, error)
      }
    }
    if (failed) throw failed
  }

  /**
   * Decrypts the data of a user who is back, once the server provides the key.
   *
   * @param onProblem - receives the reason after each failed attempt
   * @returns false if the user is not to be opened
   * @throws {CannotUnlock | SealBroken}
   */
  async open(userId: string, signal: AbortSignal, onProblem: (problem: string) => void): Promise<boolean> {
    const { lock, session, random } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      if (!(await lock.isLocked(userId)) && !(await lock.isClosing(userId))) return true
      const token = await session
        .tokensOf(userId)
        .token()
        .catch(() => undefined)
      const isLocked = await lock.isLocked(userId)
      if (isLocked && token === undefined && session.state.get().kind === 'expired') {
        await session.leave()
        return false
      }
      try {
        await lock.open(userId, token)
      } catch (error) {
        if (error instanceof CannotUnlock || error instanceof SealBroken) throw error
        onProblem(errorMessage(error))
      }
      if (await lock.isLocked(userId)) await this.#changeOrDelay(attempt, signal, random)
    }
    return false
  }

  /** Waits, at most until the session changes, as when the second factor is provided. */
  async #changeOrDelay(attempt: number, signal: AbortSignal, random: () => number): Promise<void> {
    const { claims } = this.#options.session
    const changed = new AbortController()
    const stop = claims.subscribe(() => changed.abort())
    await pause(retryDelayMs(attempt, undefined, random), AbortSignal.any([signal, changed.signal]))
    stop()
  }
}
