import type { Readable } from 'node:stream'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import type { OfferedFile } from './offered-files.ts'
import { createStagedFiles, type StagedFiles } from './staged-files.ts'

/** Bytes that stay free on the disk, for the database. */
const FREE_BYTES_MIN = 1_073_741_824

/** Interval in ms between sweeps. */
const SWEEP_EVERY_MS = 600_000

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
  readonly records: RecordFiles
  /** Returns the free bytes of the database's disk, if it is this machine's. */
  readonly freeBytes: () => Promise<number>
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
  readonly #staged: StagedFiles
  readonly #timer: NodeJS.Timeout
  #sweeping: Promise<void> = Promise.resolve()

  constructor(options: VisitorFilesOptions) {
    this.#options = options
    this.#staged = createStagedFiles(options.pool)
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
    const { pool, freeBytes } = this.#options
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    if ((await freeBytes()) < bytes + FREE_BYTES_MIN) throw noSpace()
    await pool.transaction(async (tx) => {
      const [row] = await tx.query<{ outcome: string }>(sql`
        select holdfast.begin_form_files(${form}, ${submission}, ${source}, ${JSON.stringify(files)}::jsonb) as outcome`)
      if (row?.outcome !== 'begun') throw refusalOf(row?.outcome)
    })
    const arrived = await Promise.all(files.map(async ({ id }) => [id, await this.#staged.sizeOf(id)] as const))
    return Object.fromEntries(arrived)
  }

  /**
   * Adds a piece to a file.
   *
   * @returns how many bytes have arrived, which is not the end of the piece if it is no continuation
   * @throws {HoldfastError} `file_not_found`, 404; `file_refused`, 422
   */
  append(slug: string, id: string, offset: number, bytes: Uint8Array): Promise<number> {
    return this.#staged.append(slug, id, offset, bytes)
  }

  /** @throws {HoldfastError} `files_incomplete`, 409 */
  async requireComplete(files: readonly KnownFile[]): Promise<void> {
    for (const { id, name, size, is_sent: isSent } of files)
      if (!isSent && (await this.#staged.sizeOf(id)) !== size)
        throw new HoldfastError('files_incomplete', 409, `${name} has not arrived. Send the files again.`)
  }

  /** Stores the files of sent answers. Five minutes after a failure any server tries again. */
  async storeSent(): Promise<void> {
    const { pool, logger } = this.#options
    await pool.execute(sql`select holdfast.forget_form_files()`)
    for (;;) {
      const [file] = await pool.query<SentFile>(
        sql`select c.id, c.media_type, c.size::float8 as size, c.path from holdfast.claim_form_file() c`,
      )
      if (!file) return
      try {
        await this.#storeOne(file)
      } catch (error) {
        const { id } = file
        logger.log('warn', 'a file of a public form is not stored yet', { file: id, error: errorMessage(error) })
      }
    }
  }

  async #storeOne({ id, media_type: type, size, path }: SentFile): Promise<void> {
    const { pool, records, logger } = this.#options
    const isHere = (await this.#staged.sizeOf(id)) === size
    if (isHere) await records.store(path, { type, size, bytes: this.#staged.read(id) })
    else logger.log('warn', 'the bytes of a file of a public form are lost', { file: id })
    const [row] = await pool.query<{ is_there: boolean }>(
      sql`select holdfast.settle_form_file(${id}, ${isHere}) as is_there`,
    )
    // A member has deleted the record or the file meanwhile.
    if (isHere && row?.is_there !== true) await records.remove(path)
    await this.#staged.remove(id)
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
