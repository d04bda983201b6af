import { compareNames } from './compare-names.ts'
import { mapType, nullable } from './map-type.ts'
import type { DatabaseTypes, PgArgument, PgFunction, PgType } from './read-database-types.ts'
import { arrayOf, inlineObject, literal, name, object, union, type Property, type TsType } from './syntax.ts'

/** Types of a single unnamed argument to which PostgREST passes the body: `json`, `jsonb` and `text`. */
const BODY_TYPES = new Set([114, 3802, 25])

/** Returns a schema's functions that can be called over REST. */
export function callableFunctions(database: DatabaseTypes, schema: string): readonly PgFunction[] {
  return database.functions.filter((one) => one.schema === schema && isCallable(database, one))
}

function isCallable(database: DatabaseTypes, one: PgFunction): boolean {
  const inputs = inputsOf(one)
  const unnamed = inputs.filter((argument) => argument.name === '')
  if (unnamed.length === 0) return true
  if (unnamed.every(({ hasDefault, typeOid }) => hasDefault && BODY_TYPES.has(typeOid))) return true
  const [only] = inputs
  return (
    inputs.length === 1 && only !== undefined && (BODY_TYPES.has(only.typeOid) || !!rowType(database, only.typeOid))
  )
}

/** Returns named inputs, as REST accepts them. */
function inputsOf(one: PgFunction): readonly PgArgument[] {
  return one.arguments.filter(({ mode }) => mode === 'in').toSorted((a, b) => compareNames(a.name, b.name))
}

/** Returns the row type of a table, view or composite type. */
function rowType(database: DatabaseTypes, oid: number): PgType | undefined {
  const type = database.types.get(oid)
  return type && type.relationOid !== 0 ? type : undefined
}

/** Returns whether a function is a computed column of the table. */
export function computedFor(database: DatabaseTypes, one: PgFunction, tableOid: number): boolean {
  const [only, ...others] = inputsOf(one)
  return only !== undefined && others.length === 0 && rowType(database, only.typeOid)?.relationOid === tableOid
}

/** Returns REST's result type. */
export function resultOf(database: DatabaseTypes, one: PgFunction): TsType {
  const columns = one.arguments.filter(({ mode }) => mode === 'table').toSorted((a, b) => compareNames(a.name, b.name))
  if (columns.length > 0)
    return object(columns.map((column) => ({ name: column.name, type: mapType(database, column.typeOid) })))
  const relation = rowType(database, one.returnOid)?.relationOid
  const table = database.tables.find(({ oid, schema }) => oid === relation && schema === one.schema)
  if (!table) return mapType(database, one.returnOid)
  return object(
    table.columns
      .toSorted((a, b) => compareNames(a.name, b.name))
      .map((column) => ({ name: column.name, type: nullable(mapType(database, column.baseTypeOid), column.nullable) })),
  )
}

/** Returns the union of all overloads. */
export function signaturesOf(database: DatabaseTypes, overloads: readonly PgFunction[]): TsType {
  const ordered = overloads.toSorted(
    (a, b) => compareNames(a.signature, b.signature) || compareNames(a.result, b.result),
  )
  return union(...ordered.map((one) => signatureOf(database, one, overloads)))
}

function signatureOf(database: DatabaseTypes, one: PgFunction, overloads: readonly PgFunction[]): TsType {
  const inputs = inputsOf(one)
  const args =
    inputs.length === 0
      ? name('Record<PropertyKey, never>')
      : inlineObject(
          inputs.map((input) => ({
            name: input.name,
            isOptional: input.hasDefault,
            type: mapType(database, input.typeOid),
          })),
        )
  const problem = conflictOf(database, one, overloads) ?? rowWithoutTable(database, one)
  const rows = setOptions(database, one)
  return inlineObject([
    { name: 'Args', type: args },
    {
      name: 'Returns',
      type: returnsOf(database, one, { problem, hasRows: returnedTable(database, one) !== undefined }),
    },
    ...(rows === undefined ? [] : [rows]),
  ])
}

function returnsOf(
  database: DatabaseTypes,
  one: PgFunction,
  { problem, hasRows }: { readonly problem: string | undefined; readonly hasRows: boolean },
): TsType {
  const single: TsType =
    problem === undefined
      ? resultOf(database, one)
      : { kind: 'and', types: [inlineObject([{ name: 'error', type: name('true') }]), literal(problem)] }
  const isOneRow = one.rows <= 1 && hasRows
  return one.returnsSet && !isOneRow ? arrayOf(single) : single
}

/** Returns the name under which result columns can be selected. */
function returnedTable(database: DatabaseTypes, one: PgFunction): string | undefined {
  return rowType(database, one.returnOid)?.name
}

/** Returns the options that let the client select result columns. */
function setOptions(database: DatabaseTypes, one: PgFunction): Property | undefined {
  const to = returnedTable(database, one)
  if (to === undefined) return undefined
  const [only, ...others] = one.arguments
  const source = only && others.length === 0 ? rowType(database, only.typeOid) : undefined
  const isOneToOne = source && !one.returnsSet ? true : one.rows <= 1
  return {
    name: 'SetofOptions',
    type: object([
      { name: 'from', type: literal(source?.format ?? '*') },
      { name: 'to', type: literal(to) },
      { name: 'isOneToOne', type: name(String(isOneToOne)) },
      { name: 'isSetofReturn', type: name(String(one.returnsSet)) },
    ]),
  }
}

function rowWithoutTable(database: DatabaseTypes, one: PgFunction): string | undefined {
  const [only, ...others] = inputsOf(one)
  if (!only || others.length > 0 || only.name !== '' || !rowType(database, only.typeOid)) return undefined
  if (returnedTable(database, one) !== undefined) return undefined
  return `the function ${one.schema}.${one.name} with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache`
}

/** Returns PostgREST's error for ambiguous overloads. */
function conflictOf(database: DatabaseTypes, one: PgFunction, overloads: readonly PgFunction[]): string | undefined {
  const others = overloads.filter((other) => other !== one).map((other) => ({ other, inputs: inputsOf(other) }))
  const inputs = inputsOf(one)
  const typeName = (oid: number): string => database.types.get(oid)?.name ?? 'unknown'
  const full = `${one.schema}.${one.name}`
  const refuse = (candidates: string): string =>
    `Could not choose the best candidate function between: ${candidates}. Try renaming the parameters or the function itself in the database so function overloading can be resolved`
  if (inputs.length === 0) {
    const conflict = others.find((a) => a.inputs.length === 1 && a.inputs[0]?.name === '' && a.inputs[0].hasDefault)
    return conflict && refuse(`${full}(), ${full}( => ${typeName(conflict.other.returnOid)})`)
  }
  const [only] = inputs
  if (inputs.length !== 1 || !only || only.name === '') return undefined
  const conflicts = others.flatMap((a) => {
    const [first, ...rest] = a.inputs
    return first && rest.length === 0 && first.name === only.name && first.typeOid !== only.typeOid ? [first] : []
  })
  if (conflicts.length === 0) return undefined
  const all = [only, ...conflicts].toSorted((a, b) => a.typeOid - b.typeOid)
  return refuse(all.map((argument) => `${full}(${argument.name} => ${typeName(argument.typeOid)})`).join(', '))
}
