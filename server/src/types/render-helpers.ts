import { group, indent, line, render } from './layout.ts'

const WIDTH = 80

/** A short type helper: parameter names, lookup location, and the selected part. */
interface Helper {
  readonly name: string
  readonly parameter: string
  readonly second: string
  /** Kinds of objects, of which the first may be combined with others. */
  readonly kinds: readonly string[]
  /** The property to select and its `infer` letter; absent for the object itself. */
  readonly takes?: { readonly property: string; readonly letter: string }
}

const HELPERS: readonly Helper[] = [
  {
    name: 'Tables',
    parameter: 'DefaultSchemaTableNameOrOptions',
    second: 'TableName',
    kinds: ['Tables', 'Views'],
    takes: { property: 'Row', letter: 'R' },
  },
  {
    name: 'TablesInsert',
    parameter: 'DefaultSchemaTableNameOrOptions',
    second: 'TableName',
    kinds: ['Tables'],
    takes: { property: 'Insert', letter: 'I' },
  },
  {
    name: 'TablesUpdate',
    parameter: 'DefaultSchemaTableNameOrOptions',
    second: 'TableName',
    kinds: ['Tables'],
    takes: { property: 'Update', letter: 'U' },
  },
  { name: 'Enums', parameter: 'DefaultSchemaEnumNameOrOptions', second: 'EnumName', kinds: ['Enums'] },
  {
    name: 'CompositeTypes',
    parameter: 'PublicCompositeTypeNameOrOptions',
    second: 'CompositeTypeName',
    kinds: ['CompositeTypes'],
  },
]

/** Renders the type helpers that `supabase gen types` puts below `Database`. */
export function renderHelpers(defaultSchema: string): string {
  const extracted = ['keyof Database,', JSON.stringify(defaultSchema)]
  const schema = group([
    'type DefaultSchema = DatabaseWithoutInternals[Extract<',
    indent([{ kind: 'line', flat: '' }, extracted[0] ?? '', line, extracted[1] ?? '']),
    { kind: 'line', flat: '' },
    '>]',
  ])
  return [
    'type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">\n',
    `${render(schema, WIDTH)}\n`,
    ...HELPERS.map(renderHelper),
  ].join('\n')
}

function renderHelper({ name, parameter, second, kinds, takes }: Helper): string {
  const all = (place: string, indentation: string): string => {
    const [first = '', ...more] = kinds.map((kind) => `${place}["${kind}"]`)
    return more.length === 0 ? first : `(${[first, ...more].join(` &\n${indentation}`)})`
  }
  const inSchema = `DatabaseWithoutInternals[${parameter}["schema"]]`
  const keys = kinds.length === 1 ? all('DefaultSchema', '') : all('DefaultSchema', '').replaceAll(/\n/g, ' ')
  const taken = (found: string, depth: string): string =>
    takes === undefined
      ? found
      : `${found} extends {\n${depth}    ${takes.property}: infer ${takes.letter}\n${depth}  }\n${depth}  ? ${takes.letter}\n${depth}  : never`
  return `export type ${name}<
  ${parameter} extends
    | keyof ${keys}
    | { schema: keyof DatabaseWithoutInternals },
  ${second} extends (${parameter} extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof ${all(inSchema, '        ')}
    : never) = never,
> = ${parameter} extends {
  schema: keyof DatabaseWithoutInternals
}
  ? ${taken(`${all(inSchema, '      ')}[${second}]`, '  ')}
  : ${parameter} extends keyof ${all('DefaultSchema', '        ')}
    ? ${taken(`${all('DefaultSchema', '        ')}[${parameter}]`, '    ')}
    : never
`
}
