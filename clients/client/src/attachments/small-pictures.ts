import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { SMALL_PICTURE_BYTES_MAX, SMALL_PICTURES_MAX, SMALL_PICTURES_TOGETHER_MS } from './limits.ts'
import { unreferenced } from './unreferenced.ts'

export interface SmallPicturesOptions {
  readonly database: CommonPowerSyncDatabase
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}

/** Thumbnails of files whose bytes are only on the server, for offline lists. */
export interface SmallPictures {
  find(file: string, size: string): Promise<Blob | undefined>
  keep(file: string, size: string, picture: Blob): void
}

interface PictureRow {
  readonly id: string
  readonly file_id: string
  readonly media_type: string
  readonly picture: string
  readonly kept_at: number
}

const FIND_SQL = 'select media_type, picture from hf_local_pictures where id = ?'

/** Skips files without an entry, whose row may have left the device meanwhile. */
const KEEP_SQL = `insert or replace into hf_local_pictures (id, file_id, media_type, picture, kept_at)
  select value ->> 'id', value ->> 'file_id', value ->> 'media_type', value ->> 'picture', value ->> 'kept_at'
    from json_each(?) where value ->> 'file_id' in (select id from hf_local_files)`

const FORGET_OLDEST_SQL = `delete from hf_local_pictures where id in
  (select id from hf_local_pictures order by kept_at desc limit -1 offset ?)`

/** Keeps thumbnails in the local database, batched per screen. They are deleted with their file's entry; see {@link forgetPicturesIn}. */
export function createSmallPictures({ database, now, onProblem }: SmallPicturesOptions): SmallPictures {
  let waiting: { readonly file: string; readonly size: string; readonly picture: Blob }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    async find(file, size) {
      const row = await database.getOptional<PictureRow>(FIND_SQL, [pictureId(file, size)])
      return row ? toBlob(row) : undefined
    },
    keep(file, size, picture) {
      if (picture.size > SMALL_PICTURE_BYTES_MAX) return
      waiting.push({ file, size, picture })
      timer ??= unreferenced(setTimeout(write, SMALL_PICTURES_TOGETHER_MS))
    },
  }

  function write(): void {
    timer = undefined
    const pictures = waiting
    waiting = []
    writeAll(pictures).catch((error: unknown) => {
      if (!database.closed) onProblem(error)
    })
  }

  async function writeAll(pictures: typeof waiting): Promise<void> {
    const rows = await Promise.all(
      pictures.map(async ({ file, size, picture }): Promise<PictureRow> => ({
        id: pictureId(file, size),
        file_id: file,
        media_type: picture.type,
        picture: await toBase64(picture),
        kept_at: now(),
      })),
    )
    if (database.closed) return
    await database.writeTransaction(async (tx) => {
      await tx.execute(KEEP_SQL, [JSON.stringify(rows)])
      const counted = await tx.get<{ kept: number }>('select count(*) as kept from hf_local_pictures')
      // Evicts many at once, because finding the oldest reads all.
      if (counted.kept > SMALL_PICTURES_MAX) await tx.execute(FORGET_OLDEST_SQL, [SMALL_PICTURES_MAX * 0.8])
    })
  }
}

/** Deletes the thumbnails of a removed file. */
export async function forgetPicturesIn(tx: Transaction, file: string): Promise<void> {
  await tx.execute('delete from hf_local_pictures where file_id = ?', [file])
}

function pictureId(file: string, size: string): string {
  return `${file} ${size}`
}

async function toBase64(picture: Blob): Promise<string> {
  const bytes = new Uint8Array(await picture.arrayBuffer())
  let letters = ''
  for (const byte of bytes) letters += String.fromCodePoint(byte)
  return btoa(letters)
}

function toBlob({ picture, media_type: type }: PictureRow): Blob {
  return new Blob([Uint8Array.from(atob(picture), (letter) => letter.codePointAt(0) ?? 0)], { type })
}
