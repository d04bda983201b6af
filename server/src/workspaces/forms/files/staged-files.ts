import { Readable } from 'node:stream'
import { HoldfastError } from '@holdfast/foundation'
import { type Pool, type Queryable, sql } from '@holdfast/postgres'
import { HEAD_BYTES, isWhatItSays, refused } from './offered-files.ts'

/** Bytes of a piece that does not end its file, at least: each piece is a row. Browsers send as many on a slow line. */
const PIECE_BYTES_MIN = 65_536

/** The bytes of visitors' files until their answers are sent, in the database: any server takes the next piece. */
export interface StagedFiles {
  /** Returns the number of bytes that have arrived; 0 for an unknown file. */
  sizeOf(id: string): Promise<number>
  /**
   * Adds a piece to a file of an open form, unless it is no continuation.
   *
   * @returns how many bytes have arrived
   * @throws {HoldfastError} `file_not_found`, 404; `file_refused`, 422
   */
  append(slug: string, id: string, offset: number, bytes: Uint8Array): Promise<number>
  /** Reads one piece at a time. */
  read(id: string): Readable
  remove(id: string): Promise<void>
}

/** @param pool - connected as the project */
export function createStagedFiles(pool: Pool): StagedFiles {
  return {
    sizeOf: (id) => sizeIn(pool, id),
    async append(slug, id, offset, bytes) {
      const outcome = await pool.transaction(async (tx) => {
        // The lock makes pieces of a file wait for each other, on all servers.
        const [file] = await tx.query<{ size: number; media_type: string; name: string }>(sql`
          select f.size::float8 as size, f.media_type, f.name from holdfast.form_files f
           where f.id = ${id} and f.path is null
             and exists (select from holdfast.public_forms p where p.id = f.form_id and p.slug = ${slug} and p.is_open)
             for update`)
        if (!file)
          throw new HoldfastError('file_not_found', 404, 'This file was not announced, or its answer was sent.')
        const before = await sizeIn(tx, id)
        const size = before + bytes.length
        if (before !== offset || bytes.length === 0) return before
        if (size > file.size) throw refused(`${file.name} is larger than announced.`)
        if (size < file.size && bytes.length < PIECE_BYTES_MIN)
          throw refused(`A piece has at least ${PIECE_BYTES_MIN} bytes, unless it is the last.`)
        await tx.execute(sql`
          insert into holdfast.form_file_parts (file, starts_at, bytes) values (${id}, ${offset}, ${Buffer.from(bytes)})`)
        if (size < file.size || isWhatItSays(file.media_type, await headIn(tx, id))) return size
        await tx.execute(sql`delete from holdfast.form_files f where f.id = ${id}`)
        return refused(`${file.name} is not a photo.`)
      })
      if (typeof outcome === 'number') return outcome
      throw outcome
    },
    read: (id) => Readable.from(piecesOf(pool, id), { objectMode: false, highWaterMark: 1 }),
    remove: (id) =>
      pool.execute(sql`delete from holdfast.form_file_parts p where p.file = ${id}`).then(() => undefined),
  }
}

async function sizeIn(db: Queryable, id: string): Promise<number> {
  const [row] = await db.query<{ size: number }>(sql`
    select coalesce(sum(octet_length(p.bytes)), 0)::float8 as size from holdfast.form_file_parts p where p.file = ${id}`)
  return row?.size ?? 0
}

async function headIn(db: Queryable, id: string): Promise<Buffer> {
  const [row] = await db.query<{ head: Buffer }>(sql`
    select substring(p.bytes for ${HEAD_BYTES}) as head from holdfast.form_file_parts p where p.file = ${id} and p.starts_at = 0`)
  return row?.head ?? Buffer.alloc(0)
}

async function* piecesOf(db: Queryable, id: string): AsyncGenerator<Buffer> {
  for (let offset = 0; ;) {
    const [row] = await db.query<{ bytes: Buffer }>(sql`
      select p.bytes from holdfast.form_file_parts p where p.file = ${id} and p.starts_at = ${offset}`)
    if (!row || row.bytes.length === 0) return
    yield row.bytes
    offset += row.bytes.length
  }
}
