import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { isVideo } from '../is-video.ts'
import { quoteName, quoteText } from '../sql.ts'
import { FAVOURITES_TABLE } from './favourites-table.ts'

/** Bucket of the files referenced by the project's photo table. */
export const PHOTO_BUCKET = 'record-photos'
/** Bucket of the files of fields. The second part of a key names their table. */
export const FILE_BUCKET = 'record-files'

/** Columns that identify a project's photo table. */
const NEEDED = ['path', 'media_type', 'uploaded_at'] as const
/** Columns written if the table has them. */
const OPTIONAL = ['caption', 'taken_at', 'size', 'width', 'height', 'annotation', 'field', 'name'] as const
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
  /** Whether its files are those of fields: of any kind, in {@link FILE_BUCKET}. */
  readonly isOfFields: boolean
}

/** Whether a table has the files of fields of another table, and is none for users; see `holdfast.ensure_files`. */
export function isFilesTable({ columns }: TableDescriptor): boolean {
  return columns.some(({ name }) => name === 'record_id') && columns.some(({ name }) => name === 'is_removed')
}

/**
 * Returns the table with the photos of a table's records: files of fields if it has such fields, otherwise the project's photos. Without a table: the
 * project's photo table.
 */
export function photoTableOf(schema: SchemaDescriptor, table?: string): PhotoTable | undefined {
  const all = photoTablesOf(schema)
  const ofFields = table === undefined ? undefined : all.find((one) => one.isOfFields && one.links.has(table))
  return ofFields ?? all.find(({ isOfFields }) => !isOfFields)
}

/** Returns the table with the row of a file. */
export function photoTableOfFile(
  schema: SchemaDescriptor,
  { bucket, path }: { readonly bucket: string; readonly path: string },
): PhotoTable | undefined {
  if (bucket !== FILE_BUCKET) return photoTableOf(schema)
  const name = path.split('/')[1]
  return photoTablesOf(schema).find(({ isOfFields, source }) => isOfFields && source.name === name)
}

/** Returns the column linking photos to a table's records; a photo belongs to itself. `undefined` if there are none. */
export function photoLinkOf({ name, links }: PhotoTable, table: string): string | undefined {
  return table === name ? 'id' : links.get(table)
}

/** The first photo table by name, and those of fields. */
function photoTablesOf(schema: SchemaDescriptor): readonly PhotoTable[] {
  const known = photoTables.get(schema)
  if (known) return known
  const found = schema.tables
    .filter(({ columns }) => NEEDED.every((needed) => columns.some(({ name }) => name === needed)))
    .map(toPhotoTable)
  const project = found.find(({ isOfFields }) => !isOfFields)
  const tables = found.filter((one) => one.isOfFields || one === project)
  photoTables.set(schema, tables)
  return tables
}

const photoTables = new WeakMap<SchemaDescriptor, readonly PhotoTable[]>()

function toPhotoTable(descriptor: TableDescriptor): PhotoTable {
  const { name, schema, table, columns, can } = descriptor
  const links = columns.flatMap((column) =>
    column.references && column.references.table !== name ? [[column.references.table, column.name] as const] : [],
  )
  const names = new Set(columns.map((column) => column.name))
  const has = new Set(OPTIONAL.filter((one) => names.has(one)))
  const types = columns.find((column) => column.name === 'media_type')?.choices ?? []
  const videoTypes = new Set(types.filter(isVideo))
  const source = { schema, name: table }
  return { name, source, links: new Map(links), has, videoTypes, can, isOfFields: isFilesTable(descriptor) }
}

/** Query for the user's visible files, as needed by the file queue. Those of favourites are eager. */
export function photoFilesSql(schema: SchemaDescriptor): string {
  const tables = photoTablesOf(schema)
  if (tables.length === 0) return `select null as id, null as path where false`
  const hasFavourites = schema.tables.some(({ name }) => name === FAVOURITES_TABLE)
  return tables
    .map((table) => {
      const has = (name: OptionalColumn): string => (table.has.has(name) ? name : 'null')
      return `select id, path, media_type, ${has('size')} as size, uploaded_at is not null as is_uploaded,
                 ${hasFavourites ? isOfFavouriteSql(table) : '0'} as is_eager,
                 ${table.isOfFields ? `'${FILE_BUCKET}' as bucket, name` : 'null as bucket, null as name'}
            from ${quoteName(table.name)} where path is not null`
    })
    .join(' union all ')
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
