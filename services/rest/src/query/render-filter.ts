import { defined } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { Condition, EmbedPlan, JoinCondition, PlannedField, PlannedOrder } from '../plan/plan.ts'
import type {
  IsValue,
  JsonStep,
  Operation,
  QuantifiableOperator,
  SimpleOperator,
  TextSearchOperator,
} from '../request/api-request.ts'

const SIMPLE: Readonly<Record<SimpleOperator, string>> = {
  neq: '<>',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
}

const QUANTIFIABLE: Readonly<Record<QuantifiableOperator, string>> = {
  eq: '=',
  gte: '>=',
  gt: '>',
  lte: '<=',
  lt: '<',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
}

const TEXT_SEARCH: Readonly<Record<TextSearchOperator, string>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
}

const IS: Readonly<Record<IsValue, string>> = {
  null: 'null',
  not_null: 'not null',
  true: 'true',
  false: 'false',
  unknown: 'unknown',
}

/**
 * Renders a condition. Values are untyped parameters, so that Postgres infers the column's type.
 *
 * @param renderExists - renders whether an embed has rows; not needed for statements without embeds
 */
export function renderCondition(condition: Condition, renderExists?: (embed: EmbedPlan) => SqlFragment): SqlFragment {
  switch (condition.kind) {
    case 'filter': {
      const test = renderOperation(condition.field, condition.operation)
      return condition.negated ? sql`not (${test})` : test
    }
    case 'logic': {
      const children = sql.join(
        condition.children.map((child) => renderCondition(child, renderExists)),
        ` ${condition.operator} `,
      )
      return condition.negated ? sql`not (${children})` : sql`(${children})`
    }
    case 'embed': {
      const exists = defined(renderExists, 'a condition on an embed stands beside the embed')(condition.embed)
      return condition.exists ? exists : sql`not ${exists}`
    }
  }
}

export function renderJoin({ left, right }: JoinCondition): SqlFragment {
  return sql`${sql.identifier(...left.qualifier, left.column)} = ${sql.identifier(...right.qualifier, right.column)}`
}

/** @param position - number of the selected column to order by instead of the field */
export function renderOrder({ field, direction, nulls }: PlannedOrder, position?: number): SqlFragment {
  const suffix = `${direction === undefined ? '' : ` ${direction}`}${nulls === undefined ? '' : ` nulls ${nulls}`}`
  const value = position === undefined ? renderField(field) : sql.trusted(String(position))
  return sql`${value}${sql.trusted(suffix)}`
}

/** Renders a column or a value inside a JSON column. */
export function renderField({ qualifier, column, path, needsJson }: PlannedField): SqlFragment {
  const name = column === '*' ? sql`${sql.identifier(...qualifier)}.*` : sql.identifier(...qualifier, column)
  if (path.length === 0) return name
  const base = needsJson ? sql`to_jsonb(${name})` : name
  return path.reduce((inner, step) => sql`${inner}${renderStep(step)}`, base)
}

function renderStep({ arrow, operand }: JsonStep): SqlFragment {
  const sign = sql.trusted(arrow)
  return operand.kind === 'key' ? sql`${sign}${operand.key}` : sql`${sign}${operand.index}::int`
}

function renderOperation(field: PlannedField, operation: Operation): SqlFragment {
  const value = renderField(field)
  switch (operation.kind) {
    case 'simple':
      return sql`${value} ${sql.trusted(SIMPLE[operation.operator])} ${parsed(field, operation.value)}`
    case 'quantifiable': {
      const isPattern = operation.operator === 'like' || operation.operator === 'ilike'
      const text = isPattern ? operation.value.replaceAll('*', '%') : operation.value
      const operand =
        operation.quantifier !== undefined
          ? sql`${sql.trusted(operation.quantifier)}(${isPattern ? sql`${text}` : parsedList(field, text)})`
          : isPattern
            ? sql`${text}`
            : parsed(field, text)
      return sql`${value} ${sql.trusted(QUANTIFIABLE[operation.operator])} ${operand}`
    }
    case 'is':
      return sql`${value} is ${sql.trusted(IS[operation.value])}`
    case 'isdistinct':
      return sql`${value} is distinct from ${operation.value}`
    case 'in': {
      // `in.()` arrives as one empty text and is the empty list
      const [first] = operation.values
      const empty = operation.values.length === 1 && first === ''
      return sql`${value} = any(${parsedList(field, empty ? '{}' : arrayLiteral(operation.values))})`
    }
    case 'fts': {
      const language = operation.language === undefined ? sql`` : sql`${operation.language}::regconfig, `
      const vector = field.isTsVector ? value : sql`to_tsvector(${language}${value})`
      return sql`${vector} @@ ${sql.trusted(TEXT_SEARCH[operation.operator])}(${language}${operation.value})`
    }
  }
}

/** Renders a value, converted by the domain's function if there is one. */
function parsed({ fromText }: PlannedField, text: string): SqlFragment {
  return fromText === undefined ? sql`${text}` : sql`${sql.trusted(fromText)}(${text})`
}

function parsedList({ fromText }: PlannedField, literal: string): SqlFragment {
  if (fromText === undefined) return sql`${literal}`
  return sql`array(select ${sql.trusted(fromText)}("value") from unnest(${literal}::text[]) as "value")`
}

/** Renders an array in Postgres's text form, for a parameter whose element type only Postgres knows. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`
}
