import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { isVideo } from '../is-video.ts'
import { quoteName, quoteText } from '../sql.ts'
import { FAVOURITES_TABLE } from './favourites-table.ts'

/** The bucket of the files that the rows of a photo table name. */
export const PHOTO_BUCKET = 'record-photos'

/** Columns by which a project's table of photos is known. */
const NEEDED = ['path', 'media_type', 'uploaded_at'] as const
/** Columns that are written where the table has them. */
const OPTIONAL = ['caption', 'taken_at', 'size', 'width', 'height', 'annotation'] as const
type OptionalColumn = (typeof OPTIONAL)[number]

/** A table whose rows name files that belong to records: images, and videos where it takes them. */
export interface PhotoTable {
  readonly name: string
  /** What Postgres calls it. */
  readonly source: { readonly schema: string; readonly name: string }
  /** By which column a photo belongs to a record of a table. */
  readonly links: ReadonlyMap<string, string>
  readonly has: ReadonlySet<OptionalColumn>
  /** The media types of videos that it takes: those that a CHECK of `media_type` lists. Of any other CHECK the device does not know what it lets through. */
  readonly videoTypes: ReadonlySet<string>
  readonly can: TableDescriptor['can']
}

/** The table of photos that a schema has: the first by name with the columns that it takes. */
export function photoTableOf(schema: SchemaDescriptor): PhotoTable | undefined {
  const known = photoTables.get(schema)
  if (known !== undefined) return known ?? undefined
  const found = schema.tables.find(isPhotoTable)
  const table = found && toPhotoTable(found)
  photoTables.set(schema, table ?? null)
  return table
}

/** By which column of the photo table its photos belong to the records of a table; a photo belongs to itself. `undefined`: such records have none. */
export function photoLinkOf({ name, links }: PhotoTable, table: string): string | undefined {
  return table === name ? 'id' : links.get(table)
}

/** `null`: it has none. */
const photoTables = new WeakMap<SchemaDescriptor, PhotoTable | null>()

function isPhotoTable({ columns }: TableDescriptor): boolean {
  return NEEDED.every((needed) => columns.some(({ name }) => name === needed))
}

function toPhotoTable({ name, schema, table, columns, can }: TableDescriptor): PhotoTable {
  const links = columns.flatMap((column) =>
    column.references && column.references.table !== name ? [[column.references.table, column.name] as const] : [],
  )
  const names = new Set(columns.map((column) => column.name))
  const has = new Set(OPTIONAL.filter((one) => names.has(one)))
  const types = columns.find((column) => column.name === 'media_type')?.choices ?? []
  const videoTypes = new Set(types.filter(isVideo))
  return { name, source: { schema, name: table }, links: new Map(links), has, videoTypes, can }
}

/** The files that this person may see, as the queue of files asks for them. Those of favourites are to be here without being opened. */
export function photoFilesSql(schema: SchemaDescriptor): string {
  const table = photoTableOf(schema)
  if (!table) return `select null as id, null as path where false`
  const size = table.has.has('size') ? 'size' : 'null'
  const hasFavourites = schema.tables.some(({ name }) => name === FAVOURITES_TABLE)
  return `select id, path, media_type, ${size} as size, uploaded_at is not null as is_uploaded,
                 ${hasFavourites ? isOfFavouriteSql(table) : '0'} as is_eager
            from ${quoteName(table.name)} where path is not null`
}

/** Whether a photo, or a record that it belongs to, is a favourite of this person. */
function isOfFavouriteSql({ name, links }: PhotoTable): string {
  const owners = [[name, 'id'] as const, ...links]
  const tests = owners.map(
    ([table, column]) =>
      `coalesce(${quoteName(column)} in (select target_id from ${FAVOURITES_TABLE} where kind = 'record' and table_name = ${quoteText(table)}), 0)`,
  )
  return `(${tests.join(' or ')})`
}

/** A statement that adds a photo, with its values. */
export function insertPhotoSql(
  table: PhotoTable,
  photo: {
    readonly id: string
    readonly link: string
    readonly recordId: string
    readonly path: string
    readonly mediaType: string
  } & Readonly<Partial<Record<OptionalColumn, string | number>>>,
): readonly [sql: string, values: readonly (string | number)[]] {
  const optional = OPTIONAL.flatMap((name) => {
    const value = photo[name]
    return table.has.has(name) && value !== undefined ? [[name, value] as const] : []
  })
  const columns = new Map<string, string | number>([
    ['id', photo.id],
    [photo.link, photo.recordId],
    ['path', photo.path],
    ['media_type', photo.mediaType],
    ...optional,
  ])
  const names = [...columns.keys()].map(quoteName).join(', ')
  const marks = [...columns].map(() => '?').join(', ')
  return [`insert into ${quoteName(table.name)} (${names}) values (${marks})`, [...columns.values()]]
}
