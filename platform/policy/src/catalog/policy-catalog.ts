import { localTableNames } from '@holdfast/protocol'
import type {
  CastInfo,
  FunctionInfo,
  OperatorInfo,
  PolicyInfo,
  PolicyInput,
  RoleInfo,
  TableInfo,
  TypeInfo,
} from './policy-input.ts'

/** {@link PolicyInput}, indexed. */
export interface PolicyCatalog {
  readonly input: PolicyInput
  table(schema: string, name: string): TableInfo | undefined
  type(oid: number): TypeInfo | undefined
  typeNamed(schema: string, name: string): TypeInfo | undefined
  functions(schema: string, name: string): readonly FunctionInfo[]
  operators(schema: string, name: string): readonly OperatorInfo[]
  cast(source: number, target: number): CastInfo | undefined
  castsTo(target: number): readonly CastInfo[]
  role(oid: number): RoleInfo | undefined
  policiesOf(table: number): readonly PolicyInfo[]
  tableOfType(type: number): TableInfo | undefined
  /** Returns a table's name on devices; `undefined` for relations that cannot sync. */
  localName(table: number): string | undefined
}

export function createPolicyCatalog(input: PolicyInput): PolicyCatalog {
  const tables = new Map(input.tables.map((table) => [key(table.schema, table.name), table]))
  const tablesByOid = new Map(input.tables.map((table) => [table.oid, table]))
  const types = new Map(input.types.map((type) => [type.oid, type]))
  const typesByName = new Map(input.types.map((type) => [key(type.schema, type.name), type]))
  const functions = Map.groupBy(input.functions, (f) => key(f.schema, f.name))
  const operators = Map.groupBy(input.operators, (operator) => key(operator.schema, operator.name))
  const casts = new Map(input.casts.map((cast) => [`${cast.source} ${cast.target}`, cast]))
  const roles = new Map(input.roles.map((role) => [role.oid, role]))
  // Includes tables that do not currently sync, so that editing a policy renames nothing.
  const local = localTableNames(
    input.tables.filter(({ schema, kind }) => input.schemas.includes(schema) && (kind === 'r' || kind === 'p')),
  )
  const localNames = new Map([...local].map(([{ oid }, name]) => [oid, name]))
  const policies = Map.groupBy(input.policies, (policy) => policy.table)
  return {
    input,
    table: (schema, name) => tables.get(key(schema, name)),
    type: (oid) => types.get(oid),
    typeNamed: (schema, name) => typesByName.get(key(schema, name)),
    functions: (schema, name) => functions.get(key(schema, name)) ?? [],
    operators: (schema, name) => operators.get(key(schema, name)) ?? [],
    cast: (source, target) => casts.get(`${source} ${target}`),
    castsTo: (target) => input.casts.filter((cast) => cast.target === target),
    role: (oid) => roles.get(oid),
    policiesOf: (table) => policies.get(table) ?? [],
    tableOfType: (type) => tablesByOid.get(types.get(type)?.relation ?? 0),
    localName: (table) => localNames.get(table),
  }
}

function key(schema: string, name: string): string {
  return JSON.stringify([schema, name])
}
