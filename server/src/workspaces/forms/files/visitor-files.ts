import type { Readable } from 'node:stream'
import { errorMessage, HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { HEAD_BYTES, isWhatItSays, type OfferedFile, refused } from './offered-files.ts'
import type { StagedFiles } from './staged-files.ts'

/** Bytes that stay free on the disk, for the database. */
const FREE_BYTES_MIN = 1_073_741_824

/** Interval in ms between sweeps, and the age in ms of bytes without a row: a row is older than its bytes. */
const SWEEP_EVERY_MS = 600_000
const ORPHANED_MS = 3_600_000

/** The bytes of files of records. */
export interface RecordFiles {
  /** @throws {Error} if they are not stored */
  store(path: string, file: { readonly type: string; readonly size: number; readonly bytes: Readable }): Promise<void>
  remove(path: string): Promise<void>
}

/** A file whose answer was sent. */
interface SentFile {
  readonly id: string
  readonly media_type: string
  readonly size: number
  readonly path: string
}

export interface VisitorFilesOptions {
  /** Connected as the project. */
  readonly pool: Pool
  readonly staged: StagedFiles
  readonly records: RecordFiles
  readonly logger: Logger
}

/** An answer's files that the server knows. */
export interface KnownFile {
  readonly id: string
  readonly field: string
  readonly name: string
  readonly size: number
  /** Its answer was sent. */
  readonly is_sent: boolean
}

/** Files that visitors add to answers of public forms: announced, received in pieces, and stored with the record. */
export class VisitorFiles implements AsyncDisposable {
  readonly #options: VisitorFilesOptions
  /** One piece of a file at a time, and one sweep. */
  readonly #turns = new Semaphore({ permits: Number.POSITIVE_INFINITY, perKeyMax: 1 })
  readonly #timer: NodeJS.Timeout
  #sweeping: Promise<void> = Promise.resolve()

  constructor(options: VisitorFilesOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.wake(), SWEEP_EVERY_MS)
    this.#timer.unref()
  }

  /** Returns the files announced for an answer. */
  async find(form: string, submission: string): Promise<readonly KnownFile[]> {
    return this.#options.pool.query<KnownFile>(sql`
      select f.id, f.field, f.name, f.size::float8 as size, f.path is not null as is_sent from holdfast.form_files f
       where f.form_id = ${form} and f.submission = ${submission} order by f.id`)
  }

  /**
   * Announces all files of an answer, also again after a break.
   *
   * @returns how many bytes of each have arrived
   * @throws {HoldfastError} `too_many_files`, 429; `no_space`, 507; `form_closed`, 410; `answer_sent`, 409
   */
  async begin(
    form: string,
    submission: string,
    source: Buffer,
    files: readonly OfferedFile[],
  ): Promise<Readonly<Record<string, number>>> {
    const { pool, staged } = this.#options
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    if ((await staged.free()) < bytes + FREE_BYTES_MIN) throw noSpace()
    await pool.transaction(async (tx) => {
      const [row] = await tx.query<{ outcome: string }>(sql`
        select holdfast.begin_form_files(${form}, ${submission}, ${source}, ${JSON.stringify(files)}::jsonb) as outcome`)
      if (row?.outcome !== 'begun') throw refusalOf(row?.outcome)
    })
    const arrived = await Promise.all(files.map(async ({ id }) => [id, await staged.sizeOf(id)] as const))
    return Object.fromEntries(arrived)
  }

  /**
   * Adds a piece to a file.
   *
   * @returns how many bytes have arrived, which is not the end of the piece if it is no continuation
   * @throws {HoldfastError} `file_not_found`, 404; `file_refused`, 422
   */
  async append(slug: string, id: string, offset: number, bytes: Uint8Array): Promise<number> {
    const { pool, staged } = this.#options
    const [file] = await pool.query<{ size: number; media_type: string; name: string }>(sql`
      select f.size::float8 as size, f.media_type, f.name from holdfast.form_files f join holdfast.public_forms p on p.id = f.form_id
       where f.id = ${id} and p.slug = ${slug} and p.is_open and f.path is null`)
    if (!file) throw new HoldfastError('file_not_found', 404, 'This file was not announced, or its answer was sent.')
    return this.#turns.run({ key: id }, async () => {
      const before = await staged.sizeOf(id)
      if (before !== offset || bytes.length === 0) return before
      if (before + bytes.length > file.size) throw refused(`${file.name} is larger than announced.`)
      await staged.append(id, bytes)
      const size = before + bytes.length
      if (size === file.size && !isWhatItSays(file.media_type, await staged.head(id, HEAD_BYTES))) {
        await pool.execute(sql`delete from holdfast.form_files f where f.id = ${id}`)
        await staged.remove(id)
        throw refused(`${file.name} is not a photo.`)
      }
      return size
    })
  }

  /** @throws {HoldfastError} `files_incomplete`, 409 */
  async requireComplete(files: readonly KnownFile[]): Promise<void> {
    for (const { id, name, size, is_sent: isSent } of files)
      if (!isSent && (await this.#options.staged.sizeOf(id)) !== size)
        throw new HoldfastError('files_incomplete', 409, `${name} has not arrived. Send the files again.`)
  }

  /** Stores the files of sent answers. What fails is tried again by the next sweep. */
  async storeSent(): Promise<void> {
    const { pool, staged, logger } = this.#options
    const sent = await pool.query<SentFile>(
      sql`select s.id, s.media_type, s.size::float8 as size, s.path from holdfast.sweep_form_files() s`,
    )
    for (const file of sent) {
      try {
        await this.#turns.run({ key: file.id }, () => this.#storeOne(file))
      } catch (error) {
        const { id } = file
        logger.log('warn', 'a file of a public form is not stored yet', { file: id, error: errorMessage(error) })
      }
    }
    const orphaned = await staged.listOlder(ORPHANED_MS)
    if (orphaned.length === 0) return
    const kept = await pool.query<{ id: string }>(sql`
      select f.id from holdfast.form_files f where f.id = any (${orphaned}::uuid[]) and f.stored_at is null`)
    const waiting = new Set(kept.map(({ id }) => id))
    for (const id of orphaned.filter((one) => !waiting.has(one))) await staged.remove(id)
  }

  async #storeOne({ id, media_type: type, size, path }: SentFile): Promise<void> {
    const { pool, staged, records, logger } = this.#options
    // After a restore of the database alone.
    const isHere = (await staged.sizeOf(id)) === size
    if (isHere) await records.store(path, { type, size, bytes: staged.read(id) })
    else logger.log('warn', 'the bytes of a file of a public form are lost', { file: id })
    const [row] = await pool.query<{ is_there: boolean }>(
      sql`select holdfast.settle_form_file(${id}, ${isHere}) as is_there`,
    )
    // A member has deleted the record or the file meanwhile.
    if (isHere && row?.is_there !== true) await records.remove(path)
    await staged.remove(id)
  }

  /** Stores and sweeps soon. */
  wake(): void {
    this.#sweeping = this.#sweeping
      .then(() => this.storeSent())
      .catch((error: unknown) => {
        this.#options.logger.log('warn', 'files of public forms were not swept', { error: errorMessage(error) })
      })
  }

  /** Waits until {@link wake} has done its work. */
  async settled(): Promise<void> {
    await this.#sweeping
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#sweeping
  }
}

function refusalOf(outcome: string | undefined): HoldfastError {
  switch (outcome) {
    case 'too_many':
      return new HoldfastError('too_many_files', 429, 'Too many files were sent. Try again in an hour.', {
        headers: { 'retry-after': '3600' },
      })
    case 'full':
      return noSpace()
    case 'repeated':
      return new HoldfastError('answer_sent', 409, 'This answer was sent already.')
    default:
      return new HoldfastError('form_closed', 410, 'This form takes no more answers.')
  }
}

function noSpace(): HoldfastError {
  return new HoldfastError('no_space', 507, 'The server has no space for files now. Try again later.', {
    headers: { 'retry-after': '3600' },
  })
}
