import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { isVideo } from '../is-video.ts'
import { quoteName, quoteText } from '../sql.ts'
import { FAVOURITES_TABLE } from './favourites-table.ts'

/** Bucket of the files referenced by a photo table. */
export const PHOTO_BUCKET = 'record-photos'

/** Columns that identify a project's photo table. */
const NEEDED = ['path', 'media_type', 'uploaded_at'] as const
/** Columns written if the table has them. */
const OPTIONAL = ['caption', 'taken_at', 'size', 'width', 'height', 'annotation'] as const
type OptionalColumn = (typeof OPTIONAL)[number]

/** A table of files attached to records: images, and videos if allowed. */
export interface PhotoTable {
  readonly name: string
  /** Name in Postgres. */
  readonly source: { readonly schema: string; readonly name: string }
  /** Link column per table. */
  readonly links: ReadonlyMap<string, string>
  readonly has: ReadonlySet<OptionalColumn>
  /** Allowed video types: those listed by a CHECK on `media_type`. Other CHECKs cannot be evaluated on the device. */
  readonly videoTypes: ReadonlySet<string>
  readonly can: TableDescriptor['can']
}

/** Returns the first photo table by name with the required columns. */
export function photoTableOf(schema: SchemaDescriptor): PhotoTable | undefined {
  const known = photoTables.get(schema)
  if (known !== undefined) return known ?? undefined
  const found = schema.tables.find(isPhotoTable)
  const table = found && toPhotoTable(found)
  photoTables.set(schema, table ?? null)
  return table
}

/** Returns the column linking photos to a table's records; a photo belongs to itself. `undefined` if there are none. */
export function photoLinkOf({ name, links }: PhotoTable, table: string): string | undefined {
  return table === name ? 'id' : links.get(table)
}

/** `null` for none. */
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

/** Query for the user's visible files, as needed by the file queue. Those of favourites are eager. */
export function photoFilesSql(schema: SchemaDescriptor): string {
  const table = photoTableOf(schema)
  if (!table) return `select null as id, null as path where false`
  const size = table.has.has('size') ? 'size' : 'null'
  const hasFavourites = schema.tables.some(({ name }) => name === FAVOURITES_TABLE)
  return `select id, path, media_type, ${size} as size, uploaded_at is not null as is_uploaded,
                 ${hasFavourites ? isOfFavouriteSql(table) : '0'} as is_eager
            from ${quoteName(table.name)} where path is not null`
}

/** Whether a photo or its record is a favourite of this user. */
function isOfFavouriteSql({ name, links }: PhotoTable): string {
  const owners = [[name, 'id'] as const, ...links]
  const tests = owners.map(
    ([table, column]) =>
      `coalesce(${quoteName(column)} in (select target_id from ${FAVOURITES_TABLE} where kind = 'record' and table_name = ${quoteText(table)}), 0)`,
  )
  return `(${tests.join(' or ')})`
}

/** Returns the statement and values that insert a photo. */
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
