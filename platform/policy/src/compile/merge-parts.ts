import { createHash } from 'node:crypto'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { AccessClass, BucketDefinition } from '../plan.ts'
import { chooseRowKey } from '../row-key.ts'
import { shapeOfType } from '../type-shape.ts'
import { anyOf, classKeyQuery } from './access-class.ts'
import type { RolePart } from './compile-role.ts'
import { mergeDependencies } from './merge-dependencies.ts'
import { localNameOf } from './local-name.ts'

/** Merges parts that fill the same bucket into one definition; roles with different key queries stay separate. */
export function mergeParts(
  parts: readonly RolePart[],
  table: TableInfo,
  catalog: PolicyCatalog,
  stream: string | undefined,
): readonly BucketDefinition[] {
  const definitions: BucketDefinition[] = []
  for (const group of Map.groupBy(parts, (part) => bucketText(part, table, catalog)).values()) {
    const perRole = [...Map.groupBy(group, (part) => part.role)].map(([role, ofRole]) => ({
      role,
      parts: ofRole,
      ...keysOf(ofRole, table),
    }))
    const perQuery = [...Map.groupBy(perRole, (one) => one.keyQuery)]
    perQuery.forEach(([keyQuery, ofQuery], index) => {
      const all = ofQuery.flatMap((one) => one.parts)
      const [first] = all
      if (!first) return
      const roles = ofQuery.map((one) => one.role).sort()
      const text = bucketText(first, table, catalog) + (index === 0 ? '' : JSON.stringify(roles))
      definitions.push({
        id: `${localNameOf(table, catalog)}.${createHash('sha256').update(text).digest('hex').slice(0, 8)}`,
        stream,
        roles,
        policies: [...new Set(all.flatMap((part) => part.policies))],
        columns: first.columns,
        rowFilter: first.assembled.rowFilter,
        keys: first.assembled.keys,
        keyQuery,
        accessClass: ofQuery[0]?.accessClass,
        dependencies: mergeDependencies(all.flatMap((part) => part.assembled.dependencies)),
      })
    })
  }
  return definitions
}

/** Combines key queries: any of them grants the bucket. */
function keysOf(
  parts: readonly RolePart[],
  table: TableInfo,
): { readonly keyQuery: string; readonly accessClass: AccessClass | undefined } {
  const classes = parts.flatMap(({ assembled }) => (assembled.accessClass ? [assembled.accessClass] : []))
  if (classes.length === 0) {
    const queries = new Set(parts.map((part) => part.assembled.keyQuery))
    return { keyQuery: [...queries].join(' union '), accessClass: undefined }
  }
  const keys = parts[0]?.assembled.keys ?? []
  const names = new Set(keys.slice(classes[0]?.link?.keys ?? 0).map((key) => key.column))
  const accessClass = anyOf(
    classes,
    table.columns.filter((column) => names.has(column.name)),
  )
  return { keyQuery: classKeyQuery(table, keys, accessClass), accessClass }
}

/** Describes a bucket's content as text. */
function bucketText(part: RolePart, table: TableInfo, catalog: PolicyCatalog): string {
  const types = new Map(table.columns.map((column) => [column.name, column.typeName]))
  const { rowFilter, keys, rowFunctions } = part.assembled
  return JSON.stringify([
    table.schema,
    table.name,
    part.columns.map((name) => [name, types.get(name), ...insideOf(name, table, catalog)]),
    ...keyInText(table),
    rowFilter?.sql ?? null,
    keys.map((key) => [key.kind, key.sql]),
    rowFunctions,
    // Links have separate access classes.
    ...(part.assembled.accessClass ? ['class', part.assembled.accessClass.link?.query ?? null] : []),
  ])
}

/** Describes the id of rows, if it is not the single column `id`. */
function keyInText(table: TableInfo): readonly unknown[] {
  const key = chooseRowKey(table.uniqueIndexes)
  return key?.columns.length === 1 && key.columns[0] === 'id' ? [] : [key?.columns]
}

/** Describes a type's structure where its name does not determine it: members of composites, bases of domains. */
function insideOf(name: string, table: TableInfo, catalog: PolicyCatalog): readonly unknown[] {
  const typeOid = table.columns.find((column) => column.name === name)?.typeOid ?? 0
  const shape = shapeOfType(typeOid, (oid) => catalog.type(oid))
  return shape.kind === 'scalar' && shape.oid === typeOid ? [] : [shape]
}
