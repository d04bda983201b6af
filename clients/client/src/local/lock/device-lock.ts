import type { KeyValueStore } from '../../key-value.ts'
import { whileUnused } from '../file-locks.ts'
import { fileNameOf, readLocalFile } from '../local-file.ts'
import { exclusively } from './exclusively.ts'
import { fetchLockKey } from './fetch-lock-key.ts'
import { createKeyPair, derivePasswordKey, importWrappingKey, type PasswordKey, unwrapPrivateKey } from './lock-keys.ts'
import { forgetLock, type LockRecord, readLock, sealedStoreOf, writeLock } from './lock-record.ts'
import { removePlain, type SealOptions, sealFiles, unsealFiles } from './seal-files.ts'
import { CannotUnlock } from './cannot-unlock.ts'

export interface DeviceLockOptions extends SealOptions {
  readonly store: KeyValueStore
  readonly url: string
  readonly anonKey: string
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Wrong passwords without a delay. After them each one doubles the delay, up to {@link DELAY_MAX_MS}. */
const FREE_FAILURES = 5
const DELAY_MAX_MS = 15 * 60_000

/**
 * Encrypts the data of users who sign out. While a user is signed in, the device has only the public key of the lock; the private key is encrypted with a key
 * that the server gives to the signed-in user, and with one derived from the password for unlocking without a connection.
 */
export class DeviceLock {
  readonly #options: DeviceLockOptions
  /** Keys of passwords that the server has just accepted. */
  readonly #passwords = new Map<string, Promise<PasswordKey>>()

  constructor(options: DeviceLockOptions) {
    this.#options = options
  }

  /** Call with each password that the server accepts; the next {@link prepare} uses it. */
  notePassword(userId: string, password: string): void {
    const key = derivePasswordKey(password)
    key.catch(() => undefined) // handled in prepare
    this.#passwords.set(userId, key)
  }

  /** Whether the user's data can be locked, as far as this device knows. */
  async isPrepared(userId: string): Promise<boolean> {
    return (await this.#read(userId)) !== undefined
  }

  async isLocked(userId: string): Promise<boolean> {
    return (await this.#read(userId))?.sealed !== undefined
  }

  /** Whether the user has signed out and {@link lock} has not finished. */
  async isClosing(userId: string): Promise<boolean> {
    return (await this.#read(userId))?.isClosing === true
  }

  /**
   * Creates the lock of a signed-in user, with a new one for each new password.
   *
   * @throws if the server is unreachable
   */
  prepare(userId: string, token: string): Promise<void> {
    return this.#alone(userId, async () => {
      const known = await this.#read(userId)
      const pending = this.#passwords.get(userId)
      if (known?.sealed || (known && !pending) || !(await this.#options.database.isSupported())) return
      const lockId = crypto.randomUUID()
      const server = await importWrappingKey(
        await fetchLockKey({ ...this.#options, token, lockId }, this.#options.fetch),
      )
      const password = await pending
      const keys = password ? [server, password.key] : [server]
      const { publicKey, wrapped } = await createKeyPair(keys)
      const [byServer, byPassword] = wrapped
      if (!byServer) throw new Error('The key was not wrapped.')
      const own = password && byPassword && { ...byPassword, salt: password.salt, iterations: password.iterations }
      await this.#write(userId, { lockId, publicKey, byServer, ...(own ? { byPassword: own } : {}) })
      if (this.#passwords.get(userId) === pending) this.#passwords.delete(userId)
    })
  }

  /** Records that the user signs out, so that a start after a crash continues to lock. */
  async begin(userId: string): Promise<void> {
    const known = await this.#read(userId)
    if (known) await this.#write(userId, { ...known, isClosing: true })
  }

  /**
   * Encrypts the user's closed data and deletes the originals, or finishes an interrupted attempt. Does nothing without a lock.
   *
   * @throws if it failed; the data is readable, and nothing is lost
   */
  async lock(userId: string): Promise<void> {
    this.#passwords.delete(userId)
    await this.#alone(userId, async () => {
      const known = await this.#read(userId)
      if (!known || (!known.isClosing && !known.sealed)) return
      const { isClosing: _, ...record } = known
      const fileName = fileNameOf(userId, await readLocalFile(this.#options.store, userId))
      await whileUnused(fileName, async () => {
        if (!record.sealed) {
          const sealed = await sealFiles(userId, record.publicKey, this.#options)
          await this.#write(userId, { ...record, sealed })
        }
        await removePlain(userId, this.#options)
      })
    })
  }

  /**
   * Decrypts the data of a user with the last password, without the server. Until {@link open}, a start locks it again.
   *
   * @throws {CannotUnlock}
   */
  unlock(userId: string, password: string): Promise<void> {
    return this.#alone(userId, () => this.#unlock(userId, password))
  }

  async #unlock(userId: string, password: string): Promise<void> {
    const known = await this.#read(userId)
    if (!known?.byPassword) throw new CannotUnlock('no_password')
    const waitMs = (known.notBeforeMs ?? 0) - this.#options.now()
    if (waitMs > 0) throw new CannotUnlock('too_many', Math.ceil(Math.min(waitMs, DELAY_MAX_MS) / 1_000))
    const { key } = await derivePasswordKey(password, known.byPassword)
    const privateKey = await unwrapPrivateKey(known.byPassword, key)
    if (!privateKey) {
      const failures = (known.failures ?? 0) + 1
      const delayMs = failures < FREE_FAILURES ? 0 : Math.min(DELAY_MAX_MS, 1_000 * 2 ** (failures - FREE_FAILURES))
      await this.#write(userId, { ...known, failures, notBeforeMs: this.#options.now() + delayMs })
      throw new CannotUnlock('wrong_password')
    }
    const { failures: _, notBeforeMs: __, ...record } = known
    await this.#unseal(userId, { ...record, isClosing: true }, privateKey)
  }

  /**
   * Decrypts the data of a user who is back, unless it is.
   *
   * @param token - of the user; not needed after {@link unlock}
   * @throws {CannotUnlock} if the server's key does not open it
   */
  open(userId: string, token: string | undefined): Promise<void> {
    return this.#alone(userId, async () => {
      const known = await this.#read(userId)
      if (!known) return
      if (!known.sealed) return this.#write(userId, { ...known, isClosing: false })
      if (token === undefined) return
      const { lockId } = known
      const server = await fetchLockKey({ ...this.#options, token, lockId }, this.#options.fetch)
      const privateKey = await unwrapPrivateKey(known.byServer, await importWrappingKey(server))
      if (!privateKey) throw new CannotUnlock('no_key')
      await this.#unseal(userId, known, privateKey)
    })
  }

  /** Forgets the user's lock and everything sealed with it. */
  async forget(userId: string): Promise<void> {
    this.#passwords.delete(userId)
    await (await this.#options.files(sealedStoreOf(userId))).clear()
    await forgetLock(this.#options.store, userId)
  }

  async #unseal(userId: string, { sealed, ...record }: LockRecord, privateKey: CryptoKey): Promise<void> {
    if (sealed) await unsealFiles(userId, sealed, privateKey, this.#options)
    await this.#write(userId, record)
    await (await this.#options.files(sealedStoreOf(userId))).clear()
  }

  #read(userId: string): Promise<LockRecord | undefined> {
    return readLock(this.#options.store, userId)
  }

  #write(userId: string, record: LockRecord): Promise<void> {
    return writeLock(this.#options.store, userId, record)
  }

  #alone<T>(userId: string, body: () => Promise<T>): Promise<T> {
    return exclusively(`holdfast-lock-${userId}`, body)
  }
}
