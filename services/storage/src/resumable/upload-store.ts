import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { errorMessage, type Clock, type Logger } from '@holdfast/foundation'
import { isVersion } from '../backend/backend.ts'
import { storeFull } from '../errors.ts'
import { UPLOADS_OF_PERSON_MAX, UPLOAD_LIFETIME_MS } from '../limits.ts'
import { readServerId } from './server-id.ts'

/** The stored description of an upload, beside its bytes. */
export interface UploadRecord {
  /** Also the version that the bytes get when all of them are here. */
  readonly id: string
  /** In bytes; `undefined` until the client says it. */
  readonly size: number | undefined
  /** As the client gave it. */
  readonly metadata: Readonly<Record<string, string | null>>
  readonly createdAt: number
  readonly upsert: boolean
  /** Who has made it, for the limit of each; `undefined` for a backend. */
  readonly person: string | undefined
  /** The object is there, and the bytes are no longer here. */
  readonly isFinished: boolean
}

/** What the request that makes an upload says beside the protocol. */
export type UploadOrigin = Pick<UploadRecord, 'upsert' | 'person'>

const BYTES = '.bytes'
const RECORD = '.json'

/**
 * Keeps uploads that are under way in a folder: the bytes that have come, and a record. Names are random. How many bytes there are, the file says; what
 * a request was told is on disk.
 */
export class UploadStore extends DataStore {
  readonly #folder: string
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #origins = new Map<string, UploadOrigin>()
  /** Who has made each unfinished upload. No other process writes to the folder. */
  readonly #unfinished = new Map<string, string | undefined>()

  /** Which server the parts are on. */
  readonly serverId: string

  private constructor(folder: string, serverId: string, clock: Clock, logger: Logger) {
    super()
    this.serverId = serverId
    this.#folder = folder
    this.#clock = clock
    this.#logger = logger
    this.extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration']
  }

  /** @param root - the folder of the files, in which the parts have one of their own */
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

  /** To be called before the upload of this id is made. */
  expect(id: string, origin: UploadOrigin): void {
    this.#origins.set(id, origin)
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size, metadata = {} } = upload
    const origin = this.#origins.get(id)
    this.#origins.delete(id)
    if (!origin) throw ERRORS.FILE_NOT_FOUND
    const createdAt = this.#clock.now()
    await writeFile(this.#path(id, BYTES), '', { flag: 'wx', mode: 0o600 })
    await this.#writeRecord({ ...origin, id, size, metadata, createdAt, isFinished: false })
    this.#unfinished.set(id, origin.person)
    upload.creation_date = new Date(createdAt).toISOString()
    return upload
  }

  /** What has come stays, also when the request ends in the middle. */
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

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.find(id)
    if (!record) throw ERRORS.FILE_NOT_FOUND
    const { size, metadata, createdAt } = record
    const offset = await this.offsetOf(record)
    return new Upload({
      id,
      offset,
      metadata: { ...metadata },
      creation_date: new Date(createdAt).toISOString(),
      ...(size !== undefined && { size }),
    })
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    const record = await this.find(id)
    if (!record) throw ERRORS.FILE_NOT_FOUND
    await this.#writeRecord({ ...record, size })
  }

  override async remove(id: string): Promise<void> {
    if (!(await this.find(id))) throw ERRORS.FILE_NOT_FOUND
    await this.#delete(id)
  }

  /** @returns how many uploads have ended without being finished, or were finished long ago */
  override async deleteExpired(): Promise<number> {
    let deleted = 0
    for (const { id, createdAt } of await this.#list()) {
      if (this.#clock.now() - createdAt <= UPLOAD_LIFETIME_MS) continue
      await this.#delete(id)
      deleted++
    }
    return deleted
  }

  override getExpiration(): number {
    return UPLOAD_LIFETIME_MS
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

  /** How many bytes have come. */
  async offsetOf({ id, size, isFinished }: UploadRecord): Promise<number> {
    if (isFinished) return size ?? 0
    return (await stat(this.#path(id, BYTES))).size
  }

  readBytes(id: string): Readable {
    return createReadStream(this.#path(id, BYTES))
  }

  /** The object is there: the record stays, so that a client whose answer was lost learns of it. */
  async markFinished(id: string): Promise<void> {
    const record = await this.find(id)
    if (!record) return
    await this.#writeRecord({ ...record, isFinished: true })
    this.#unfinished.delete(id)
    await rm(this.#path(id, BYTES), { force: true })
  }

  /** Whether a person has as many unfinished uploads as one may have. */
  isFull(person: string | undefined): boolean {
    if (person === undefined) return false
    const own = [...this.#unfinished.values()].filter((each) => each === person)
    return own.length >= UPLOADS_OF_PERSON_MAX
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

  /** Whole or not at all: a record that was half written would be an upload that cannot be resumed. */
  async #writeRecord(record: UploadRecord): Promise<void> {
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

  async #delete(id: string): Promise<void> {
    this.#unfinished.delete(id)
    await rm(this.#path(id, RECORD), { force: true })
    await rm(this.#path(id, BYTES), { force: true })
  }

  #path(id: string, suffix: string): string {
    if (!isVersion(id)) throw ERRORS.FILE_NOT_FOUND
    return join(this.#folder, id + suffix)
  }
}
