import {
  columnsOfFormula,
  type ComputedDefinition,
  type ComputedField,
  FormulaError,
  type FormulaField,
  formulaTypeOf,
  type FormulaType,
  parseFormula,
  printFormula,
  ROLLUP_FUNCTIONS,
  type RollupFunction,
  type SchemaDescriptor,
} from '@holdfast/protocol'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { fieldsOf } from '../../../lib/fields/field.ts'

/** A computed field as it is being edited. */
export interface ComputedDraft {
  readonly label: string
  readonly kind: ComputedDefinition['kind']
  readonly source: string
  /** Link field of this table. */
  readonly link: string
  readonly field: string
  /** Another table and its link to this one, as {@link ChildLink.key}. */
  readonly child: string
  readonly calculation: RollupFunction
  readonly childField: string
  readonly only: string
}

/** A link field with its other table. */
export interface TableLink {
  readonly key: string
  readonly table: TableInfo
  /** Column and label of the link field. */
  readonly column: string
  readonly label: string
}

/** What the fields of a table can be computed from. */
export interface ComputedSources {
  readonly table: TableInfo
  readonly schema: SchemaDescriptor
  readonly all: readonly ComputedField[]
  /** Fields of this table, without the edited one. */
  readonly fields: readonly FormulaField[]
  readonly links: readonly TableLink[]
  readonly children: readonly TableLink[]
  readonly fieldsOf: (table: TableInfo) => readonly FormulaField[]
}

/** Why a draft cannot be saved. */
export type DraftProblem =
  | { readonly kind: 'formula' | 'only'; readonly error: FormulaError }
  | { readonly kind: 'label' | 'only_boolean' | MissingPart }

/** What an unfinished lookup or rollup needs. */
export type MissingPart = 'link' | 'field' | 'child' | 'child_field' | 'child_number'

export function sourcesOf(
  table: TableInfo,
  tables: readonly TableInfo[],
  schema: SchemaDescriptor,
  all: readonly ComputedField[],
  edited: string | undefined,
): ComputedSources {
  const formulaFields = (of: TableInfo): readonly FormulaField[] => [
    ...fieldsOf(of.descriptor, schema).map(({ column, label }) => ({
      name: column.column ?? column.name,
      label,
      type: formulaTypeOf(column),
    })),
    ...all
      .filter((one) => one.table === of.descriptor.table && (of !== table || one.name !== edited))
      .map(({ name, label, result }) => ({ name, label, type: result })),
  ]
  const linksOf = (from: TableInfo, isWanted: (target: string) => boolean): readonly TableLink[] =>
    fieldsOf(from.descriptor, schema).flatMap(({ column, label }) => {
      const target = tables.find(({ name }) => name === column.references?.table)
      if (!target || column.references?.column !== 'id' || !isWanted(target.name)) return []
      const name = column.column ?? column.name
      return [{ key: `${from.name}.${name}`, table: from === table ? target : from, column: name, label }]
    })
  return {
    table,
    schema,
    all,
    fields: formulaFields(table),
    links: linksOf(table, () => true),
    children: tables
      .filter((other) => other.descriptor.schema === 'public')
      // Records can also link to others of their table.
      .flatMap((other) => linksOf(other.name === table.name ? table : other, (target) => target === table.name)),
    fieldsOf: formulaFields,
  }
}

/** Fields that a calculation can be about. */
export function calculatedFields(
  fields: readonly FormulaField[],
  calculation: RollupFunction,
): readonly FormulaField[] {
  const types: readonly FormulaType[] =
    calculation === 'min' || calculation === 'max' ? ['number', 'date', 'datetime'] : ['number']
  return fields.filter(({ type }) => type !== undefined && types.includes(type))
}

/** Returns the draft of a new field, or of one that is there. */
export function draftOf(sources: ComputedSources, edited: ComputedField | undefined): ComputedDraft {
  const [link] = sources.links
  const [child] = sources.children
  const empty: ComputedDraft = {
    label: edited?.label ?? '',
    kind: edited?.definition.kind ?? 'formula',
    source: '',
    link: link?.key ?? '',
    field: '',
    child: child?.key ?? '',
    calculation: 'count',
    childField: '',
    only: '',
  }
  const definition = edited?.definition
  if (definition === undefined) return empty
  if (definition.kind === 'formula') return { ...empty, source: printFormula(definition.formula, sources.fields) }
  if (definition.kind === 'lookup') {
    const chosen = sources.links.find(({ column }) => column === definition.link)
    return { ...empty, link: chosen?.key ?? '', field: definition.field }
  }
  const from = sources.children.find(
    ({ table, column }) => table.descriptor.table === definition.table && column === definition.link,
  )
  return {
    ...empty,
    child: from?.key ?? '',
    calculation: ROLLUP_FUNCTIONS.find((one) => one === definition.function) ?? 'count',
    childField: definition.field ?? '',
    only: definition.only && from ? printFormula(definition.only, sources.fieldsOf(from.table)) : '',
  }
}

/** Returns the definition of a draft, or why there is none. */
export function readDraft(
  draft: ComputedDraft,
  sources: ComputedSources,
): { readonly definition: ComputedDefinition } | { readonly problem: DraftProblem } {
  switch (draft.kind) {
    case 'formula': {
      const parsed = parseOrError(draft.source, sources.fields)
      if ('error' in parsed) return { problem: { kind: 'formula', error: parsed.error } }
      return { definition: { kind: 'formula', formula: parsed.formula } }
    }
    case 'lookup': {
      const link = sources.links.find(({ key }) => key === draft.link)
      if (!link) return { problem: { kind: 'link' } }
      const isKnown = sources.fieldsOf(link.table).some(({ name, type }) => name === draft.field && type)
      if (!isKnown) return { problem: { kind: 'field' } }
      return { definition: { kind: 'lookup', link: link.column, field: draft.field } }
    }
    case 'rollup':
      return readRollup(draft, sources)
    default:
      return draft.kind satisfies never
  }
}

function readRollup(draft: ComputedDraft, sources: ComputedSources): ReturnType<typeof readDraft> {
  const child = sources.children.find(({ key }) => key === draft.child)
  if (!child) return { problem: { kind: 'child' } }
  const fields = sources.fieldsOf(child.table)
  const isCount = draft.calculation === 'count'
  const calculated = calculatedFields(fields, draft.calculation)
  if (!isCount && !calculated.some(({ name }) => name === draft.childField))
    return { problem: { kind: calculated.length === 0 ? 'child_number' : 'child_field' } }
  const only = draft.only.trim() === '' ? undefined : parseOrError(draft.only, fields)
  if (only && 'error' in only) return { problem: { kind: 'only', error: only.error } }
  if (only && only.type !== 'boolean') return { problem: { kind: 'only_boolean' } }
  return {
    definition: {
      kind: 'rollup',
      table: child.table.descriptor.table,
      link: child.column,
      function: draft.calculation,
      ...(!isCount && { field: draft.childField }),
      ...(only && { only: only.formula }),
    },
  }
}

function parseOrError(
  source: string,
  fields: readonly FormulaField[],
): ReturnType<typeof parseFormula> | { readonly error: FormulaError } {
  try {
    return parseFormula(source, fields)
  } catch (error) {
    if (error instanceof FormulaError) return { error }
    throw error
  }
}

/** Returns the column name for a label: small letters, digits and underscores, unlike the taken names. */
export function columnNameOf(label: string, taken: ReadonlySet<string>): string {
  const letters = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '_')
    .slice(0, 40)
  const name = /^[a-z]/.test(letters) && !/^(pg|ps|hf)_/.test(letters) ? letters : `field_${letters}`.replace(/_$/, '')
  for (let count = 1; ; count += 1) {
    const one = count === 1 ? name : `${name}_${count}`
    if (!taken.has(one)) return one
  }
}

/** Returns the labels of the computed fields that read a field. */
export function readersOf(
  field: ComputedField,
  all: readonly ComputedField[],
  tables: readonly TableInfo[],
): readonly string[] {
  const targetOf = (one: ComputedField, link: string): string | undefined => {
    const own = tables.find(({ descriptor }) => descriptor.schema === 'public' && descriptor.table === one.table)
    const local = own?.descriptor.columns.find((column) => (column.column ?? column.name) === link)?.references?.table
    return tables.find(({ name }) => name === local)?.descriptor.table
  }
  const reads = (one: ComputedField): boolean => {
    const { definition } = one
    if (definition.kind === 'formula')
      return one.table === field.table && columnsOfFormula(definition.formula).includes(field.name)
    if (definition.kind === 'lookup')
      return definition.field === field.name && targetOf(one, definition.link) === field.table
    const only = definition.only ? columnsOfFormula(definition.only) : []
    return definition.table === field.table && [definition.field, ...only].includes(field.name)
  }
  return all.filter((one) => one !== field && reads(one)).map(({ label }) => label)
}
