import type { Utf8 } from '@holdfast/postgres'
import type {
  AggregateFunction,
  JsonStep,
  MediaType,
  Operation,
  PlanOption,
  RowsPayload,
} from '../request/api-request.ts'
import type { RestRoutine } from '../catalog/catalog.ts'
import type { TargetName } from './target-names.ts'

/** A relation, the common table expression with the result of a write or function, or a function of a row. */
export type Source =
  | { readonly kind: 'relation'; readonly schema: string; readonly name: string }
  | { readonly kind: 'result' }
  | {
      readonly kind: 'function'
      readonly schema: string
      readonly name: string
      /** The row argument and its type. */
      readonly argument: {
        readonly qualifier: Qualifier
        readonly type: { readonly schema: string; readonly name: string }
        /** All columns of the type, if the row has lost its type and must be rebuilt. */
        readonly columns: readonly string[] | undefined
      }
    }

/** Qualifier of a source's columns: `["public", "tasks"]`, or `["tasks_1"]` for an alias. */
export type Qualifier = readonly string[]

export interface PlannedField {
  readonly qualifier: Qualifier
  readonly column: string
  readonly path: readonly JsonStep[]
  /** Whether a path needs `to_jsonb`, because the column is neither `json` nor `jsonb`. */
  readonly needsJson: boolean
  /** Whether the column is already a `tsvector`. */
  readonly isTsVector: boolean
  /** Quoted name of the function that converts a filter's text to the column's domain. */
  readonly fromText: string | undefined
}

export type PlannedSelect =
  | { readonly kind: 'star'; readonly qualifier: Qualifier }
  | {
      readonly kind: 'field'
      readonly field: PlannedField
      /** Quoted name of the function that converts the column's domain to JSON. */
      readonly format: string | undefined
      readonly cast: string | undefined
      readonly aggregate: Aggregate | undefined
      readonly alias: string | undefined
    }
  /** `count()`: the number of rows. */
  | { readonly kind: 'count'; readonly cast: string | undefined; readonly alias: string }
  /** True in every row, so that the parent can count the rows of a spread. */
  | { readonly kind: 'present'; readonly alias: string }

export interface Aggregate {
  readonly function: AggregateFunction
  /** Cast of the result. */
  readonly cast: string | undefined
}

export type Condition =
  | { readonly kind: 'filter'; readonly field: PlannedField; readonly negated: boolean; readonly operation: Operation }
  | {
      readonly kind: 'logic'
      readonly negated: boolean
      readonly operator: 'and' | 'or'
      readonly children: readonly Condition[]
    }
  /** Whether an embed has any rows. */
  | { readonly kind: 'embed'; readonly embed: EmbedPlan; readonly exists: boolean }

export interface PlannedOrder {
  readonly field: PlannedField
  readonly direction: 'asc' | 'desc' | undefined
  readonly nulls: 'first' | 'last' | undefined
}

export interface JoinCondition {
  readonly left: { readonly qualifier: Qualifier; readonly column: string }
  readonly right: { readonly qualifier: Qualifier; readonly column: string }
}

/** A `select` at one level of the embedding tree. */
export interface ReadPlan {
  readonly source: Source
  readonly alias: string | undefined
  readonly junction: { readonly schema: string; readonly name: string; readonly alias: string } | undefined
  /** Empty together with `embeds` means all columns. */
  readonly select: readonly PlannedSelect[]
  readonly joins: readonly JoinCondition[]
  readonly where: readonly Condition[]
  readonly order: readonly PlannedOrder[]
  readonly limit: number | undefined
  readonly offset: number
  readonly embeds: readonly EmbedPlan[]
  /** Whether the level contains an aggregate, so that it is grouped by everything else. */
  readonly aggregated: boolean
}

/** An embed: a lateral join or subquery, and the value it adds to its parent. */
export interface EmbedPlan {
  /** Key in the parent's JSON. */
  readonly name: string
  /** Alias of the lateral join, or of the subquery. */
  readonly alias: string
  readonly shape: 'object' | 'array'
  readonly join: 'inner' | 'left'
  /**
   * Whether it must be a lateral join, because the parent uses its columns. Otherwise it is a subquery among the parent's columns, which
   * Postgres evaluates only for returned rows.
   */
  readonly lateral: boolean
  /** Whether a to-one embed may have several rows, so that a join repeats its parent. */
  readonly repeats: boolean
  /** Columns spread into the parent instead of an object or array. */
  readonly spread: readonly SpreadColumn[] | undefined
  /** Whether nothing is selected, so that it only filters. */
  readonly isEmpty: boolean
  readonly read: ReadPlan
}

export interface SpreadColumn {
  /** Name in the embed. */
  readonly column: string
  /** Name in the parent. */
  readonly name: string
  readonly aggregate: Aggregate | undefined
  /** Whether the column is `json`, which cannot be grouped by. */
  readonly isJson: boolean
}

/** A payload column and the type for reading it from JSON. */
export interface PayloadColumn {
  readonly name: string
  readonly type: string
  readonly defaultSql: string | undefined
  /** Quoted name of the function that converts JSON to the column's domain, if there is one. */
  readonly fromJson: string | undefined
}

export type WritePlan =
  | {
      readonly kind: 'insert'
      readonly schema: string
      readonly name: string
      readonly columns: readonly PayloadColumn[]
      readonly payload: RowsPayload
      readonly applyDefaults: boolean
      readonly conflict: { readonly action: 'merge' | 'ignore'; readonly columns: readonly string[] } | undefined
      /** Whether inserted rows are counted separately from updated ones. */
      readonly countInserted: boolean
      /** PUT only: conditions on the payload, qualified by its alias. */
      readonly where: readonly Condition[]
      readonly returning: readonly string[]
    }
  | {
      readonly kind: 'update'
      readonly schema: string
      readonly name: string
      readonly columns: readonly PayloadColumn[]
      readonly payload: RowsPayload
      readonly applyDefaults: boolean
      readonly where: readonly Condition[]
      readonly returning: readonly string[]
    }
  | {
      readonly kind: 'delete'
      readonly schema: string
      readonly name: string
      readonly where: readonly Condition[]
      readonly returning: readonly string[]
    }

export type CallArguments =
  /** From the query string: text per parameter, several for a variadic one. */
  | {
      readonly kind: 'texts'
      readonly values: readonly { readonly parameter: CallParameter; readonly texts: readonly string[] }[]
    }
  /** From an object, parsed with the parameters' types. */
  | { readonly kind: 'json'; readonly payload: RowsPayload; readonly parameters: readonly CallParameter[] }
  /** The whole body as the single unnamed argument. */
  | { readonly kind: 'body'; readonly value: string | Utf8 | Buffer; readonly type: string }

export interface CallParameter {
  readonly name: string
  readonly type: string
  readonly variadic: boolean
}

export interface CallPlan {
  readonly routine: RestRoutine
  readonly args: CallArguments
}

/** Count requested in addition to the returned rows. */
export type CountMode = 'none' | 'exact' | 'planned' | 'estimated'

/** How a response body is formed from rows. */
export type BodyShape =
  | { readonly kind: 'json'; readonly stripped: boolean }
  /** A single row without an array. */
  | { readonly kind: 'object'; readonly stripped: boolean }
  | { readonly kind: 'csv' }
  | { readonly kind: 'geojson'; readonly function: FunctionName }
  /** A function's single value, unchanged. */
  | { readonly kind: 'raw'; readonly binary: boolean }
  /** An aggregate of the database; `row` is the relation of its argument. */
  | {
      readonly kind: 'handler'
      readonly function: FunctionName
      readonly row: FunctionName | undefined
      readonly binary: boolean
    }

interface FunctionName {
  readonly schema: string
  readonly name: string
}

/** Negotiated response format. */
export interface Answer {
  /** Value of `Content-Type`. */
  readonly type: MediaType
  readonly body: BodyShape
  /** Set if the response is Postgres's plan. */
  readonly explain: { readonly format: 'json' | 'text'; readonly options: readonly PlanOption[] } | undefined
}

interface Reading {
  readonly read: ReadPlan
  readonly media: Answer
  /** Whether no body is built: HEAD, and writes that return nothing. */
  readonly bodyless: boolean
  /** Embeds that the request references by target although they have an alias. */
  readonly targetNames: readonly TargetName[]
}

export type Plan =
  | (Reading & { readonly kind: 'read'; readonly count: CountMode; readonly rowsMax: number | undefined })
  | (Reading & {
      readonly kind: 'write'
      readonly write: WritePlan
      /** Columns for the `Location` header; `undefined` without one. */
      readonly location: readonly string[] | undefined
      readonly primaryKey: readonly string[]
    })
  | (Reading & {
      readonly kind: 'call'
      readonly call: CallPlan
      readonly count: CountMode
      readonly rowsMax: number | undefined
      readonly readOnly: boolean
    })
  | { readonly kind: 'info'; readonly allow: string }
  /** The API description. Needs Postgres only to accept the caller. */
  | { readonly kind: 'inspect'; readonly schema: string; readonly headersOnly: boolean }

/** Plans that query the database. */
export type DatabasePlan = Exclude<Plan, { readonly kind: 'info' | 'inspect' }>
