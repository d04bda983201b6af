import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'

/** Writes the module of a PowerSync schema, as its clients take it, of the tables that sync. */
export function renderAppSchema({ tables }: SchemaDescriptor): string {
  const names = constantNames(tables.map(({ name }) => name))
  return `import { column, Schema, Table } from '@powersync/common'

${tables.map((table) => renderTable(table, names.get(table.name) ?? '')).join('\n')}
export const AppSchema = new Schema({
${tables.map(({ name }) => `  ${entry(name, names.get(name) ?? '')},`).join('\n')}
})

export type Database = (typeof AppSchema)['types']
`
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

const key = (name: string): string => (isIdentifier(name) ? name : quote(name))

const entry = (name: string, constant: string): string => (name === constant ? name : `${key(name)}: ${constant}`)

function renderTable({ name, schema, table, columns, indexes }: TableDescriptor, constant: string): string {
  // PowerSync brings the id itself.
  const own = columns.filter((one) => one.name.toLowerCase() !== 'id')
  const indexed = indexes.filter((index) => index.every((one) => own.some((column) => column.name === one)))
  const options =
    indexed.length === 0
      ? ''
      : `,\n  { indexes: { ${indexed.map((index) => `${key(`by_${index.join('_')}`)}: [${index.map(quote).join(', ')}]`).join(', ')} } }`
  const lines = own.map((one) => `    ${key(one.name)}: column.${one.local},`)
  return `// ${schema}.${table}${name === table ? '' : `, on devices ${name}`}\nconst ${constant} = new Table(\n  {\n${lines.join('\n')}\n  }${options},\n)\n`.replaceAll(
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

/** Names of tables as names of constants, each once. */
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

/** What a constant of a module cannot be called. */
const RESERVED = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  ),
)
