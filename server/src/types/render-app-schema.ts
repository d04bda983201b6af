import { HoldfastError } from '@holdfast/foundation'
import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'

/** The requested schemas, and REST's as default. */
export interface SchemaChoice {
  readonly schema: readonly string[]
  readonly restSchemas: readonly string[]
}

/**
 * Renders the module of a PowerSync schema with the synced tables of the chosen schemas. Tables of Holdfast itself are
 * included only if their schema is named.
 *
 * @throws {HoldfastError} `schema_unknown`
 */
export function renderAppSchema(descriptor: SchemaDescriptor, choice: SchemaChoice): string {
  const tables = chooseTables(descriptor.tables, choice)
  const names = constantNames(tables.map(({ name }) => name))
  return `import { column, Schema, Table } from '@powersync/common'

${tables.map((table) => renderTable(table, names.get(table.name) ?? '')).join('\n')}
export const AppSchema = new Schema({
${tables.map(({ name }) => `  ${entry(name, names.get(name) ?? '')},`).join('\n')}
})

export type Database = (typeof AppSchema)['types']
`
}

function chooseTables(
  synced: readonly TableDescriptor[],
  { schema, restSchemas }: SchemaChoice,
): readonly TableDescriptor[] {
  const missing = schema.find((one) => !synced.some((table) => table.schema === one))
  if (missing !== undefined)
    throw new HoldfastError('schema_unknown', 500, `No table of a schema "${missing}" syncs.`, {
      hint: '"holdfast sync coverage --all" lists the tables, and why some do not sync.',
    })
  const chosen = schema.length > 0 ? schema : restSchemas.filter((one) => one !== 'holdfast')
  return synced.filter((table) => chosen.includes(table.schema))
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

const key = (name: string): string => (isIdentifier(name) ? name : quote(name))

const entry = (name: string, constant: string): string => (name === constant ? name : `${key(name)}: ${constant}`)

function renderTable({ name, schema, table, columns, indexes }: TableDescriptor, constant: string): string {
  // PowerSync adds the id itself.
  const own = columns.filter((one) => one.name.toLowerCase() !== 'id')
  const indexed = indexes.filter((index) => index.every((one) => own.some((column) => column.name === one)))
  const options =
    indexed.length === 0
      ? ''
      : `,\n  { indexes: { ${indexed.map((index) => `${key(`by_${index.join('_')}`)}: [${index.map(quote).join(', ')}]`).join(', ')} } }`
  const lines = own.map((one) => `    ${key(one.name)}: column.${one.local},`)
  // A line break in a name would end the comment.
  const comment = `${schema}.${table}${name === table ? '' : `, on devices ${name}`}`.replaceAll(/[\r\n]/g, ' ')
  return `// ${comment}\nconst ${constant} = new Table(\n  {\n${lines.join('\n')}\n  }${options},\n)\n`.replaceAll(
    /[\u2028\u2029]/g,
    ' ',
  )
}

function quote(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`)}'`
}

/** Derives unique constant names from table names. */
function constantNames(tables: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(['AppSchema', 'Database', 'Schema', 'Table', 'column'])
  const names = new Map<string, string>()
  for (const table of tables) {
    const plain = table.replaceAll(/[^\w$]/g, '_')
    let name = RESERVED.has(plain) || /^\d/.test(plain) ? `${plain}_`.replace(/^(?=\d)/, '_') : plain
    while (taken.has(name)) name += '_'
    taken.add(name)
    names.set(table, name)
  }
  return names
}

/** Names invalid for a module constant. */
const RESERVED = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  ),
)
