import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { ERRORS } from '@tus/server'
import { errorMessage, type Clock, type Logger } from '@holdfast/foundation'
import { sql, sqlstateOf, SQLSTATE, type Pool } from '@holdfast/postgres'
import { isVersion, type Backend } from '../backend/backend.ts'
import { UPLOAD_LIFETIME_MS, UPLOADS_OF_PERSON_MAX, UPLOAD_SEGMENT_BYTES } from '../limits.ts'
import { Uploads, type UploadRecord } from './uploads.ts'

/** Stands for all servers that share the database and the file store. */
const SHARED = 'shared'

export interface SharedUploadStoreOptions {
  /** Connected as the owner of schema `storage`. */
  readonly pool: Pool
  readonly backend: Backend
  readonly clock: Clock
  readonly logger: Logger
}

interface Part {
  readonly version: string
  readonly size: number
}

/**
 * Stores uploads in progress where all servers have them: bytes as versions in the shared file store, one per segment of a request, and what they belong to in
 * Postgres. A segment counts once its row is committed, so two servers that receive the same bytes keep one of them.
 */
export class SharedUploadStore extends Uploads {
  readonly serverId = SHARED
  readonly #options: SharedUploadStoreOptions

  constructor(options: SharedUploadStoreOptions) {
    super()
    this.#options = options
  }

  /** Keeps the received bytes even if the request ends early. */
  override async write(source: Readable, id: string, offset: number): Promise<number> {
    if ((await this.find(id))?.isFinished) return offset
    const { backend } = this.#options
    const segments = new Segments(source)
    let end = offset
    while (await segments.hasNext()) {
      const version = randomUUID()
      const { size } = await backend.write(version, segments.next())
      if (!(await this.#addPart(id, end, { version, size }))) {
        await this.#removeBytes(version)
        throw ERRORS.INVALID_OFFSET
      }
      end += size
    }
    segments.throwIfBroken()
    return end
  }

  /** Deletes rows. The sweep deletes the bytes, which nothing refers to any more. */
  override async deleteExpired(): Promise<number> {
    return await this.#options.pool.execute(sql`
      delete from storage.resumable_uploads
       where record is not null and created_at < now() - make_interval(secs => ${UPLOAD_LIFETIME_MS / 1_000})`)
  }

  async find(id: string): Promise<UploadRecord | undefined> {
    if (!isVersion(id)) return undefined
    const [row] = await this.#options.pool.query<{ record: UploadRecord }>(sql`
      select record from storage.resumable_uploads where version = ${id} and record is not null`)
    return row?.record
  }

  async offsetOf({ id, size, isFinished }: UploadRecord): Promise<number> {
    if (isFinished) return size ?? 0
    const [row] = await this.#options.pool.query<{ offset: string }>(sql`
      select coalesce(sum(size), 0)::text as offset from storage.resumable_parts where upload = ${id}`)
    return Number(row?.offset ?? 0)
  }

  readBytes(id: string): Readable {
    return Readable.from(this.#chunks(id))
  }

  /** Keeps the record, so that a client whose response was lost learns of the success. */
  async markFinished(id: string): Promise<void> {
    const record = await this.find(id)
    if (!record) return
    await this.writeRecord({ ...record, isFinished: true })
    await this.#removeParts(id)
  }

  async isFull(person: string | undefined): Promise<boolean> {
    if (person === undefined) return false
    const [row] = await this.#options.pool.query<{ count: number }>(sql`
      select count(*)::int as count from storage.resumable_uploads
       where record ->> 'person' = ${person} and not (record ->> 'isFinished')::boolean`)
    return (row?.count ?? 0) >= UPLOADS_OF_PERSON_MAX
  }

  protected now(): number {
    return this.#options.clock.now()
  }

  protected async add(record: UploadRecord): Promise<void> {
    await this.writeRecord(record)
  }

  protected async discard(id: string): Promise<void> {
    await this.#removeParts(id)
    await this.#options.pool.execute(sql`delete from storage.resumable_uploads where version = ${id}`)
  }

  async *#chunks(id: string): AsyncGenerator<Buffer> {
    for (const { version } of await this.#parts(id)) {
      const bytes = await this.#options.backend.read(version)
      if (!bytes) throw new Error(`a part of upload ${id} is missing in the file store`)
      yield* bytes as AsyncIterable<Buffer>
    }
  }

  #parts(id: string): Promise<Part[]> {
    return this.#options.pool.query<Part>(sql`
      select version, size::float8 as size from storage.resumable_parts where upload = ${id} order by position`)
  }

  /** @returns whether the part continues the upload */
  async #addPart(id: string, position: number, { version, size }: Part): Promise<boolean> {
    try {
      const added = await this.#options.pool.execute(sql`
        insert into storage.resumable_parts (upload, position, size, version)
        select u.version, ${position}, ${size}, ${version} from storage.resumable_uploads u
         where u.version = ${id}
           and ${position} = (select coalesce(sum(p.size), 0) from storage.resumable_parts p where p.upload = u.version)`)
      return added === 1
    } catch (error) {
      if (sqlstateOf(error) === SQLSTATE.uniqueViolation) return false // another server was faster
      throw error
    }
  }

  async #removeParts(id: string): Promise<void> {
    const removed = await this.#options.pool.query<Part>(sql`
      delete from storage.resumable_parts where upload = ${id} returning version, size::float8 as size`)
    for (const { version } of removed) await this.#removeBytes(version)
  }

  /** What cannot be removed now is removed by the sweep. */
  async #removeBytes(version: string): Promise<void> {
    const { backend, logger } = this.#options
    try {
      await backend.remove(version)
    } catch (error) {
      logger.log('warn', 'bytes of an upload are removed later', { error: errorMessage(error) })
    }
  }

  protected async writeRecord(record: UploadRecord): Promise<void> {
    await this.#options.pool.execute(sql`
      update storage.resumable_uploads set record = ${JSON.stringify(record)}::jsonb where version = ${record.id}`)
  }
}

/** Splits a request's body into streams of limited size, which end with the bytes that arrived if the request breaks off. */
class Segments {
  readonly #chunks: AsyncIterator<Buffer>
  #ahead: Buffer | undefined
  #error: unknown

  constructor(source: Readable) {
    this.#chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  async hasNext(): Promise<boolean> {
    this.#ahead ??= await this.#read()
    return this.#ahead !== undefined
  }

  next(): Readable {
    return Readable.from(this.#segment(), { objectMode: false })
  }

  throwIfBroken(): void {
    if (this.#error !== undefined) throw this.#error
  }

  async *#segment(): AsyncGenerator<Buffer> {
    for (let bytes = 0; bytes < UPLOAD_SEGMENT_BYTES && (await this.hasNext());) {
      const chunk = this.#ahead as Buffer
      this.#ahead = undefined
      bytes += chunk.length
      yield chunk
    }
  }

  async #read(): Promise<Buffer | undefined> {
    if (this.#error !== undefined) return undefined
    try {
      const { done, value } = await this.#chunks.next()
      return done === true ? undefined : value
    } catch (error) {
      this.#error = error
      return undefined
    }
  }
}
