import type { FileEntry, NewFile, StagedFile } from '@holdfast/client'
import type { Transaction } from '@powersync/common'
import { useAttachments, useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { fileMessages as words } from '../../messages/files.ts'
import { FILE_BUCKET, insertPhotoSql, type PhotoTable } from '../data/photo-table.ts'
import { storeOrTell } from '../data/unstored.ts'
import { toStoredMoment } from '../fields/dates.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { quoteName } from '../sql.ts'
import { preparePhoto, UnreadablePhoto } from './prepare-photo.ts'
import { type AddOutcome, type Photo, type PhotoEdits, usePhotoEdits } from './use-photos.ts'

/** Limits of `holdfast.attachment_limit`. */
export const FILES_MAX = 100
export const FILE_BYTES_MAX = 52_428_800
/** Limit of a file's name in characters. */
const NAME_MAX = 200

/** A field of a record that has files, or a question of its checklist. */
export interface FilesOf {
  readonly files: PhotoTable
  readonly table: string
  readonly recordId: string
  /** Name of the field, or id of the question. */
  readonly field: string
  /** The answer of the question, which has the names of the files. Omitted for a field, whose column has them. */
  readonly answer?: {
    readonly label: string
    write(tx: Transaction, names: string | null): Promise<void>
  }
}

export interface FieldFile extends Photo {
  readonly name: string
}

/** Returns the files of a field that this device has rows of, oldest first; `undefined` while they are read. */
export function useFieldFiles({ files, recordId, field }: FilesOf): readonly FieldFile[] | undefined {
  const { rows, isCurrent } = useRecords<FieldFile>(
    `select id, name, media_type, caption, taken_at, annotation from ${quoteName(files.name)}
      where record_id = ? and field = ? order by id`,
    [recordId, field],
  )
  return isCurrent ? rows : undefined
}

export interface FieldFileEdits extends Pick<PhotoEdits, 'setCaption' | 'remove'> {
  /** @throws if the device is full, or the database failed */
  add(files: readonly File[]): Promise<NotAdded & Pick<AddOutcome, 'added'>>
  /** Adds an image in place of the other files of the field, in one transaction. */
  replace(image: Blob, name: string): Promise<void>
  /**
   * Stores the bytes of files, or of a signature named after the signer, for a record that is created with them.
   *
   * @throws if the device is full
   */
  stage(files: readonly File[], kind: 'files' | 'signature'): Promise<StagedFiles>
}

export interface NotAdded extends Pick<AddOutcome, 'refused'> {
  readonly tooLarge: readonly string[]
}

/** Files of a field whose bytes are stored, for a record that is about to be created. */
export interface StagedFiles extends NotAdded {
  /** The value of the field. */
  readonly names: string | null
  /** Adds the files to a record that was created in the same transaction. */
  write(tx: Transaction, record: string): Promise<void>
  discard(): Promise<void>
}

/** Adds and removes files of a field. Each change also writes their names into the record, as the server will, for rules on the device. */
export function useFieldFileEdits(of: FilesOf): FieldFileEdits {
  const { files, table, recordId, field, answer } = of
  const { database, userId } = useLocalDatabase()
  const attachments = useAttachments()
  const { setCaption } = usePhotoEdits(files, 'record_id', recordId)
  const column = useSchema()
    .tables.find(({ name }) => name === table)
    ?.columns.find(({ name }) => name === field)
  const entryOf = ({ name, mediaType, extension }: FileFacts): NewFile & { readonly id: string } => {
    const id = uuidV7()
    return { id, bucket: FILE_BUCKET, path: `${userId}/${files.source.name}/${id}${extension}`, name, mediaType }
  }
  const insertRow = async (tx: Transaction, entry: FileEntry, file: FileFacts, record: string): Promise<void> => {
    const { takenAt, extension: _, ...facts } = file
    const { id, path, size } = entry
    const row = { ...facts, id, link: 'record_id', recordId: record, path, size, field }
    const [sql, values] = insertPhotoSql(files, { ...row, taken_at: toStoredMoment(takenAt, true) })
    await tx.execute(sql, [...values])
  }
  const addOne = async ({ bytes, ...file }: Prepared, write?: (tx: Transaction) => Promise<void>): Promise<string> => {
    const { id } = await attachments.add(bytes, entryOf(file), async (tx, entry) => {
      await insertRow(tx, entry, file, recordId)
      await write?.(tx)
      await writeNames(tx, recordId)
    })
    return id
  }
  const writeNames = async (tx: Transaction, to: string): Promise<void> => {
    // Another device may have added a file meanwhile, which would be a conflict in a guarded column. The server writes the names anyway.
    if (column?.guard !== undefined) return
    const rows = await tx.getAll<{ readonly name: string }>(
      `select name from ${quoteName(files.name)} where record_id = ? and field = ? order by id`,
      [to, field],
    )
    const names = joinNames(rows.map(({ name }) => name))
    if (answer) return answer.write(tx, names)
    await tx.execute(`update ${quoteName(table)} set ${quoteName(field)} = ? where id = ?`, [names, to])
  }
  return {
    async add(given) {
      const added: string[] = []
      return { ...(await eachPrepared(given, async (one) => void added.push(await addOne(one)))), added }
    },
    async replace(image, name) {
      const before = await database.getAll<{ readonly id: string }>(
        `select id from ${quoteName(files.name)} where record_id = ? and field = ?`,
        [recordId, field],
      )
      const id = await addOne(signature(image, name), async (tx) => {
        for (const one of before) await tx.execute(`delete from ${quoteName(files.name)} where id = ?`, [one.id])
      })
      for (const one of before) if (one.id !== id) await attachments.remove(one.id)
    },
    stage: (given, kind) =>
      stageFiles(given, kind, (bytes, facts) => attachments.stage(bytes, entryOf(facts)), insertRow),
    setCaption,
    remove: (id) =>
      storeOrTell(words.change(answer?.label ?? field), () =>
        attachments.remove(id, async (tx) => {
          await tx.execute(`delete from ${quoteName(files.name)} where id = ?`, [id])
          await writeNames(tx, recordId)
        }),
      ),
  }
}

async function stageFiles(
  given: readonly File[],
  kind: 'files' | 'signature',
  store: (bytes: Blob, facts: FileFacts) => Promise<StagedFile>,
  insertRow: (tx: Transaction, entry: FileEntry, facts: FileFacts, record: string) => Promise<void>,
): Promise<StagedFiles> {
  const staged: (StagedFile & { readonly facts: FileFacts })[] = []
  const stageOne = async ({ bytes, ...facts }: Prepared): Promise<void> =>
    void staged.push({ ...(await store(bytes, facts)), facts })
  const discard = async (): Promise<void> => {
    for (const one of staged) await one.discard()
  }
  try {
    const signed = kind === 'signature' ? given : []
    for (const image of signed) await stageOne(signature(image, image.name))
    const notAdded = await eachPrepared(kind === 'files' ? given : [], stageOne)
    return {
      ...notAdded,
      names: joinNames(staged.map(({ file }) => file.name)),
      discard,
      async write(tx, record) {
        for (const { write, file, facts } of staged) {
          await write(tx)
          await insertRow(tx, file, facts, record)
        }
      },
    }
  } catch (error) {
    await discard()
    throw error
  }
}

/** Limit of the names in a record's column in characters; see `holdfast.file_names`. */
const NAMES_MAX = 4_000

function joinNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(', ').slice(0, NAMES_MAX)
}

/** Types that are pictures of a camera: only their pixels are kept. */
const PHOTOS = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/heic', 'image/heif'])

interface FileFacts {
  readonly name: string
  readonly mediaType: string
  /** Of its key, with the dot. */
  readonly extension: string
  readonly takenAt: Date
  readonly width?: number
  readonly height?: number
}

interface Prepared extends FileFacts {
  readonly bytes: Blob
}

function signature(image: Blob, name: string): Prepared {
  return { bytes: image, name, mediaType: image.type, extension: '.png', takenAt: new Date() }
}

/** Prepares and takes files one after the other: a phone has no memory for many decoded images. */
async function eachPrepared(given: readonly File[], take: (file: Prepared) => Promise<void>): Promise<NotAdded> {
  const refused: AddOutcome['refused'][number][] = []
  const isTooLarge = ({ type, size }: File): boolean => !PHOTOS.has(type) && size > FILE_BYTES_MAX
  for (const file of given.filter((one) => !isTooLarge(one))) {
    try {
      await take(await prepare(file))
    } catch (error) {
      if (!(error instanceof UnreadablePhoto)) throw error
      refused.push({ name: file.name, reason: error.reason })
    }
  }
  return { refused, tooLarge: given.filter(isTooLarge).map(({ name }) => name) }
}

async function prepare(file: File): Promise<Prepared> {
  const takenAt = new Date(file.lastModified || Date.now())
  if (PHOTOS.has(file.type)) {
    const { blob, width, height } = await preparePhoto(file)
    const name = `${file.name.replace(/\.[^.]*$/, '').slice(0, NAME_MAX - 4) || 'photo'}.jpg`
    return { bytes: blob, name, mediaType: blob.type, extension: '.jpg', takenAt, width, height }
  }
  if (file.size === 0) throw new UnreadablePhoto('empty', 'The file is empty.')
  const dot = file.name.lastIndexOf('.')
  const end = dot > 0 ? file.name.slice(dot).slice(0, 20) : ''
  const name = file.name.length <= NAME_MAX ? file.name : file.name.slice(0, NAME_MAX - end.length) + end
  const extension = /^\.[A-Za-z0-9]{1,10}$/.exec(end)?.[0].toLowerCase() ?? ''
  return {
    bytes: file,
    name: name || 'file',
    mediaType: file.type || 'application/octet-stream',
    extension,
    takenAt,
  }
}
