import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ERRORS } from '@tus/server'
import { errorMessage, type Clock, type Logger } from '@holdfast/foundation'
import { isVersion } from '../backend/backend.ts'
import { storeFull } from '../errors.ts'
import { UPLOADS_OF_PERSON_MAX, UPLOAD_LIFETIME_MS } from '../limits.ts'
import { readServerId } from './server-id.ts'
import { Uploads, type UploadRecord } from './uploads.ts'

const BYTES = '.bytes'
const RECORD = '.json'

/**
 * Stores uploads in progress in a folder: received bytes and a record each, under random names. The file size is the offset, so acknowledged bytes are on disk.
 */
export class UploadStore extends Uploads {
  readonly #folder: string
  readonly #clock: Clock
  readonly #logger: Logger
  /** Creator of each unfinished upload. No other process writes to the folder. */
  readonly #unfinished = new Map<string, string | undefined>()

  readonly serverId: string

  private constructor(folder: string, serverId: string, clock: Clock, logger: Logger) {
    super()
    this.serverId = serverId
    this.#folder = folder
    this.#clock = clock
    this.#logger = logger
  }

  /** @param root - file folder; parts are in a subfolder */
  static async open(root: string, clock: Clock, logger: Logger): Promise<UploadStore> {
    const folder = join(root, 'resumable')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const store = new UploadStore(folder, await readServerId(root), clock, logger)
    await store.deleteExpired()
    for (const { id, person, isFinished } of await store.#list()) {
      if (!isFinished) store.#unfinished.set(id, person)
    }
    return store
  }

  /** Keeps the received bytes even if the request ends early. */
  override async write(source: Readable, id: string, offset: number): Promise<number> {
    if ((await this.find(id))?.isFinished) return offset
    const file = await open(this.#path(id, BYTES), 'r+')
    let end = offset
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length;) {
          const { bytesWritten } = await file.write(chunk, at, chunk.length - at, end)
          at += bytesWritten
          end += bytesWritten
        }
      }
      return end
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code
      throw code === 'ENOSPC' || code === 'EDQUOT' ? storeFull(error) : error
    } finally {
      await file.sync()
      await file.close()
    }
  }

  /** @returns the number of deleted uploads: abandoned, or finished long ago */
  override async deleteExpired(): Promise<number> {
    let deleted = 0
    for (const { id, createdAt } of await this.#list()) {
      if (this.#clock.now() - createdAt <= UPLOAD_LIFETIME_MS) continue
      await this.discard(id)
      deleted++
    }
    return deleted
  }

  async find(id: string): Promise<UploadRecord | undefined> {
    if (!isVersion(id)) return undefined
    try {
      return JSON.parse(await readFile(this.#path(id, RECORD), 'utf8')) as UploadRecord
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return undefined
      throw error
    }
  }

  async offsetOf({ id, size, isFinished }: UploadRecord): Promise<number> {
    if (isFinished) return size ?? 0
    return (await stat(this.#path(id, BYTES))).size
  }

  readBytes(id: string): Readable {
    return createReadStream(this.#path(id, BYTES))
  }

  async markFinished(id: string): Promise<void> {
    const record = await this.find(id)
    if (!record) return
    await this.writeRecord({ ...record, isFinished: true })
    this.#unfinished.delete(id)
    await rm(this.#path(id, BYTES), { force: true })
  }

  async isFull(person: string | undefined): Promise<boolean> {
    if (person === undefined) return false
    const own = [...this.#unfinished.values()].filter((each) => each === person)
    return own.length >= UPLOADS_OF_PERSON_MAX
  }

  protected now(): number {
    return this.#clock.now()
  }

  protected async add(record: UploadRecord): Promise<void> {
    await writeFile(this.#path(record.id, BYTES), '', { flag: 'wx', mode: 0o600 })
    await this.writeRecord(record)
    this.#unfinished.set(record.id, record.person)
  }

  async #list(): Promise<readonly UploadRecord[]> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(RECORD))
    const records = await Promise.all(names.map((name) => this.#findReadable(name.slice(0, -RECORD.length))))
    return records.filter((record) => record !== undefined)
  }

  async #findReadable(id: string): Promise<UploadRecord | undefined> {
    try {
      return await this.find(id)
    } catch (error) {
      this.#logger.log('warn', 'the record of an upload cannot be read', { id, error: errorMessage(error) })
      return undefined
    }
  }

  /** Writes atomically: a truncated record would make the upload unusable. */
  protected async writeRecord(record: UploadRecord): Promise<void> {
    const path = this.#path(record.id, RECORD)
    const file = await open(`${path}.new`, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(record))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.new`, path)
  }

  protected async discard(id: string): Promise<void> {
    this.#unfinished.delete(id)
    await rm(this.#path(id, RECORD), { force: true })
    await rm(this.#path(id, BYTES), { force: true })
  }

  #path(id: string, suffix: string): string {
    if (!isVersion(id)) throw ERRORS.FILE_NOT_FOUND
    return join(this.#folder, id + suffix)
  }
}
