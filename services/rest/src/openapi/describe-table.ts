import type { Column, Relationship, Table } from '@holdfast/postgres'
import {
  reference,
  splitComment,
  type OpenapiOperation,
  type OpenapiParameter,
  type OpenapiPath,
  type OpenapiSchema,
} from './openapi-document.ts'
import { defaultValue, typeSchema } from './type-mapping.ts'

/** Reserved parameters. A column with such a name cannot be filtered. */
const RESERVED = new Set(['select', 'order', 'limit', 'offset', 'columns', 'on_conflict', 'and', 'or'])

const READ_PARAMETERS = ['select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount']

/**
 * Describes a table's rows: types, defaults, comments, and notes about keys that tools parse from the descriptions.
 *
 * @param primaryKey - for a view, its columns that are the key of a table
 * @param relationships - those that start at the table
 */
export function tableDefinition(
  table: Table,
  primaryKey: readonly string[],
  relationships: readonly Relationship[],
): OpenapiSchema {
  const properties = table.columns.map((column) => [column.name, property(column, primaryKey, relationships)] as const)
  const required = table.columns.filter(({ nullable }) => !nullable).map(({ name }) => name)
  return {
    type: 'object',
    ...(table.comment === undefined ? {} : { description: table.comment }),
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  }
}

function property(
  column: Column,
  primaryKey: readonly string[],
  relationships: readonly Relationship[],
): OpenapiSchema {
  const type = column.baseType
  const notes = [
    ...(primaryKey.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
    ...foreignKeyNote(column.name, relationships),
  ]
  const comment = column.comment === undefined ? '' : `${column.comment}\n\n`
  const description = notes.length === 0 ? column.comment : `${comment}${['Note:', ...notes].join('\n')}`
  const value = column.default === undefined ? undefined : defaultValue(type, column.default)
  const length = /^character(?: varying)?\((\d+)\)$/.exec(column.type)?.[1]
  return {
    ...typeSchema(type),
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(column.enumLabels === undefined || column.category === 'A' ? {} : { enum: column.enumLabels }),
    ...(length === undefined ? {} : { maxLength: Number(length) }),
  }
}

/** Describes a foreign key on this single column; relationships are sorted with tables before views. */
function foreignKeyNote(column: string, relationships: readonly Relationship[]): readonly string[] {
  const found = relationships.find((relationship) => {
    if (relationship.kind === 'many-to-many' || !relationship.fromHasKey) return false
    return relationship.fromColumns.length === 1 && relationship.fromColumns[0] === column
  })
  if (!found) return []
  const target = found.toColumns[0] ?? ''
  return [`This is a Foreign Key to \`${found.toTable}.${target}\`.<fk table='${found.toTable}' column='${target}'/>`]
}

/** Returns a table's reusable parameters: its body, and a filter per column. */
export function tableParameters(table: Table): readonly (readonly [name: string, OpenapiParameter])[] {
  return [
    [
      `body.${table.name}`,
      {
        name: table.name,
        in: 'body',
        description: table.name,
        required: false,
        schema: reference('definitions', table.name),
      },
    ],
    ...filterable(table).map(
      ({ name, comment }) =>
        [
          `rowFilter.${table.name}.${name}`,
          {
            name,
            in: 'query',
            required: false,
            type: 'string',
            ...(comment === undefined ? {} : { description: comment }),
          },
        ] as const,
    ),
  ]
}

function filterable(table: Table): readonly Column[] {
  return table.columns.filter(({ name }) => !RESERVED.has(name))
}

/** Returns a table's operations: reading, and writing if anything is writable. */
export function tablePath(table: Table): OpenapiPath {
  const operation = { tags: [table.name], ...splitComment(table.comment) }
  const filters = filterable(table).map(({ name }) => `rowFilter.${table.name}.${name}`)
  const body = `body.${table.name}`
  const parameters = (names: readonly string[]) => names.map((name) => reference('parameters', name))
  const get: OpenapiOperation = {
    ...operation,
    parameters: parameters([...filters, ...READ_PARAMETERS]),
    responses: {
      '200': { description: 'OK', schema: { type: 'array', items: reference('definitions', table.name) } },
      '206': { description: 'Partial Content' },
    },
  }
  if (!table.insertable && !table.updatable && !table.deletable) return { get }
  return {
    get,
    post: {
      ...operation,
      parameters: parameters([body, 'select', 'preferPost']),
      responses: { '201': { description: 'Created' } },
    },
    delete: {
      ...operation,
      parameters: parameters([...filters, 'preferReturn']),
      responses: { '204': { description: 'No Content' } },
    },
    patch: {
      ...operation,
      parameters: parameters([...filters, body, 'preferReturn']),
      responses: { '204': { description: 'No Content' } },
    },
  }
}
