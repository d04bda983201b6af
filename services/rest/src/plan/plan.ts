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

/** A relation, the common table expression that holds what a write or a function returned, or a function of a row. */
export type Source =
  | { readonly kind: 'relation'; readonly schema: string; readonly name: string }
  | { readonly kind: 'result' }
  | {
      readonly kind: 'function'
      readonly schema: string
      readonly name: string
      /** The row that it is given, and its type. */
      readonly argument: {
        readonly qualifier: Qualifier
        readonly type: { readonly schema: string; readonly name: string }
        /** All columns of the type, where the row has lost it on the way and is to be made again. */
        readonly columns: readonly string[] | undefined
      }
    }

/** How columns of a source are qualified: `["public", "tasks"]`, or `["tasks_1"]` for an alias. */
export type Qualifier = readonly string[]

export interface PlannedField {
  readonly qualifier: Qualifier
  readonly column: string
  readonly path: readonly JsonStep[]
  /** The column is neither `json` nor `jsonb`, so that a path needs `to_jsonb` first. */
  readonly needsJson: boolean
  /** The column is a `tsvector` already. */
  readonly isTsVector: boolean
  /** Quoted name of the function that reads the text of a filter as a value of the column's domain. */
  readonly fromText: string | undefined
}

export type PlannedSelect =
  | { readonly kind: 'star'; readonly qualifier: Qualifier }
  | {
      readonly kind: 'field'
      readonly field: PlannedField
      /** Quoted name of the function that represents the column's domain in JSON. */
      readonly format: string | undefined
      readonly cast: string | undefined
      readonly aggregate: Aggregate | undefined
      readonly alias: string | undefined
    }
  /** `count()`: how many rows there are. */
  | { readonly kind: 'count'; readonly cast: string | undefined; readonly alias: string }
  /** True in every row, so that what a spread adds to its parent can be counted there. */
  | { readonly kind: 'present'; readonly alias: string }

export interface Aggregate {
  readonly function: AggregateFunction
  /** Type of the result. */
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
  /** Whether an embed found anything. */
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
  /** Something in it is an aggregate, so that everything else is what it is grouped by. */
  readonly aggregated: boolean
}

/** A lateral join and the value that it adds to its parent. */
export interface EmbedPlan {
  /** The key in the parent's JSON. */
  readonly name: string
  /** Alias of the lateral join, or of the subquery. */
  readonly alias: string
  readonly shape: 'object' | 'array'
  readonly join: 'inner' | 'left'
  /**
   * Whether it has to be joined, because its columns are used in the parent. Otherwise it is a subquery among the parent's columns,
   * which Postgres computes for the rows that are returned only.
   */
  readonly lateral: boolean
  /** It may find several rows though it is to-one, so that a join repeats its parent. */
  readonly repeats: boolean
  /** Columns that move into the parent instead of an object or an array of their own. */
  readonly spread: readonly SpreadColumn[] | undefined
  /** Nothing is selected in it: it only filters. */
  readonly isEmpty: boolean
  readonly read: ReadPlan
}

export interface SpreadColumn {
  /** Name in the embed. */
  readonly column: string
  /** Name in the parent. */
  readonly name: string
  readonly aggregate: Aggregate | undefined
  /** It is `json`, by which nothing can be grouped. */
  readonly isJson: boolean
}

/** A column of a payload, with the type that it is read from JSON by. */
export interface PayloadColumn {
  readonly name: string
  readonly type: string
  readonly defaultSql: string | undefined
  /** Quoted name of the function that makes a value of JSON, for a domain that has one. */
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
      /** Whether inserted rows are counted apart from updated ones. */
      readonly countInserted: boolean
      /** PUT only: what the payload has to be, over the alias of the payload. */
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
  /** The whole body is the only, nameless argument. */
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

/** The count that is asked for besides the returned rows. */
export type CountMode = 'none' | 'exact' | 'planned' | 'estimated'

/** How a response body is formed from rows. */
export type BodyShape =
  | { readonly kind: 'json'; readonly stripped: boolean }
  /** The only row, without an array around it. */
  | { readonly kind: 'object'; readonly stripped: boolean }
  | { readonly kind: 'csv' }
  | { readonly kind: 'geojson'; readonly function: FunctionName }
  /** The only value of a function, as it is. */
  | { readonly kind: 'raw'; readonly binary: boolean }
  /** An aggregate of the database; `row` is the relation whose rows it takes. */
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
  /** For the `Content-Type`. */
  readonly type: MediaType
  readonly body: BodyShape
  /** Only Postgres's plan is answered. */
  readonly explain: { readonly format: 'json' | 'text'; readonly options: readonly PlanOption[] } | undefined
}

interface Reading {
  readonly read: ReadPlan
  readonly media: Answer
  /** No body is built: HEAD, and writes that return nothing. */
  readonly bodyless: boolean
  /** Embedded tables that the request names by their own name although they have an alias. */
  readonly targetNames: readonly TargetName[]
}

export type Plan =
  | (Reading & { readonly kind: 'read'; readonly count: CountMode; readonly rowsMax: number | undefined })
  | (Reading & {
      readonly kind: 'write'
      readonly write: WritePlan
      /** Columns for the `Location` header, or `undefined` when none is asked for. */
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
  /** The description of the API, which needs nothing of Postgres but that it lets the caller in. */
  | { readonly kind: 'inspect'; readonly schema: string; readonly headersOnly: boolean }

/** The plans whose answers come from the database. */
export type DatabasePlan = Exclude<Plan, { readonly kind: 'info' | 'inspect' }>
