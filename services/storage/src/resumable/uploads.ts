import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { UPLOAD_LIFETIME_MS } from '../limits.ts'

/** Stored record of an upload, beside its bytes. */
export interface UploadRecord {
  /** Becomes the version once all bytes have arrived. */
  readonly id: string
  /** In bytes; `undefined` until the client declares it. */
  readonly size?: number | undefined
  /** As sent by the client. */
  readonly metadata: Readonly<Record<string, string | null>>
  readonly createdAt: number
  readonly upsert: boolean
  /** Creator, for the limit per user; `undefined` for a backend. */
  readonly person?: string | undefined
  /** The object exists and the bytes have moved. */
  readonly isFinished: boolean
}

/** Request properties outside the TUS protocol. */
export type UploadOrigin = Pick<UploadRecord, 'upsert' | 'person'>

/** TUS extensions of every store. */
const EXTENSIONS = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration']

/** Uploads in progress, for the TUS library. Where bytes and records are is up to each store. */
export abstract class Uploads extends DataStore {
  /** The server that holds the parts. */
  abstract readonly serverId: string
  readonly #origins = new Map<string, UploadOrigin>()

  constructor() {
    super()
    this.extensions = EXTENSIONS
  }

  abstract find(id: string): Promise<UploadRecord | undefined>
  /** Number of received bytes. */
  abstract offsetOf(record: UploadRecord): Promise<number>
  abstract readBytes(id: string): Readable
  /** Keeps the record of a finished upload, so that a client whose response was lost learns of the success. */
  abstract markFinished(id: string): Promise<void>
  /** Whether a user has reached the limit of unfinished uploads. */
  abstract isFull(person: string | undefined): Promise<boolean>
  protected abstract now(): number
  /** Stores a new upload without bytes. */
  protected abstract add(record: UploadRecord): Promise<void>
  protected abstract writeRecord(record: UploadRecord): Promise<void>
  /** Deletes record and bytes. */
  protected abstract discard(id: string): Promise<void>

  /** Call before creating the upload with this id. */
  expect(id: string, origin: UploadOrigin): void {
    this.#origins.set(id, origin)
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size, metadata = {} } = upload
    const origin = this.#origins.get(id)
    this.#origins.delete(id)
    if (!origin) throw ERRORS.FILE_NOT_FOUND
    const createdAt = this.now()
    await this.add({ ...origin, id, size, metadata, createdAt, isFinished: false })
    upload.creation_date = new Date(createdAt).toISOString()
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#get(id)
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
    await this.writeRecord({ ...(await this.#get(id)), size })
  }

  override async remove(id: string): Promise<void> {
    await this.#get(id)
    await this.discard(id)
  }

  override getExpiration(): number {
    return UPLOAD_LIFETIME_MS
  }

  async #get(id: string): Promise<UploadRecord> {
    const record = await this.find(id)
    if (!record) throw ERRORS.FILE_NOT_FOUND
    return record
  }
}
