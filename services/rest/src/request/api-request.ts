import type { Utf8 } from '@holdfast/postgres'

/** One step of a JSON path: `->'key'`, `->>'key'`, `->0`. */
export interface JsonStep {
  readonly arrow: '->' | '->>'
  readonly operand: { readonly kind: 'key'; readonly key: string } | { readonly kind: 'index'; readonly index: string }
}

/** A column, or a value inside a JSON column: `address->city->>name`. */
export interface Field {
  readonly name: string
  readonly path: readonly JsonStep[]
}

export type AggregateFunction = 'sum' | 'avg' | 'count' | 'max' | 'min'

export type SelectItem = { readonly kind: 'star' } | SelectField | SelectEmbed

export interface SelectField {
  readonly kind: 'field'
  readonly field: Field
  readonly alias: string | undefined
  readonly cast: string | undefined
  readonly aggregate: AggregateFunction | undefined
  /** Cast of the aggregate's result. */
  readonly aggregateCast: string | undefined
}

/** `alias:target!hint!inner(…)`, or with `spread` `...target(…)`. */
export interface SelectEmbed {
  readonly kind: 'embed'
  readonly target: string
  readonly alias: string | undefined
  readonly hint: string | undefined
  readonly join: 'inner' | 'left' | undefined
  readonly spread: boolean
  readonly select: readonly SelectItem[]
}

export type SimpleOperator = 'neq' | 'cs' | 'cd' | 'ov' | 'sl' | 'sr' | 'nxr' | 'nxl' | 'adj'
export type QuantifiableOperator = 'eq' | 'gte' | 'gt' | 'lte' | 'lt' | 'like' | 'ilike' | 'match' | 'imatch'
export type TextSearchOperator = 'fts' | 'plfts' | 'phfts' | 'wfts'
export type IsValue = 'null' | 'not_null' | 'true' | 'false' | 'unknown'

export type Operation =
  | { readonly kind: 'simple'; readonly operator: SimpleOperator; readonly value: string }
  | {
      readonly kind: 'quantifiable'
      readonly operator: QuantifiableOperator
      readonly quantifier: 'any' | 'all' | undefined
      readonly value: string
    }
  | { readonly kind: 'is'; readonly value: IsValue }
  | { readonly kind: 'isdistinct'; readonly value: string }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | {
      readonly kind: 'fts'
      readonly operator: TextSearchOperator
      readonly language: string | undefined
      readonly value: string
    }

/** `done.not.is.true` */
export interface Filter {
  readonly kind: 'filter'
  readonly field: Field
  readonly negated: boolean
  readonly operation: Operation
}

/** A condition: a filter, or `not.and(…)` of conditions. */
export type LogicTree =
  | Filter
  | {
      readonly kind: 'logic'
      readonly negated: boolean
      readonly operator: 'and' | 'or'
      readonly children: readonly LogicTree[]
    }

export interface OrderTerm {
  /** The to-one embed whose column orders the parent: `order=client(name)`. */
  readonly relation: string | undefined
  readonly field: Field
  readonly direction: 'asc' | 'desc' | undefined
  readonly nulls: 'first' | 'last' | undefined
}

/** Names of embeds from the root; empty for the root. */
export type EmbedPath = readonly string[]

/** A value that belongs to one level of the embedding tree. */
export interface AtPath<T> {
  readonly path: EmbedPath
  readonly value: T
}

/** Row range of a level: skips `offset` rows, then takes at most `limit`. */
export interface RowRange {
  readonly offset: number
  readonly limit: number | undefined
}

export interface QueryParams {
  readonly select: readonly SelectItem[]
  readonly filters: readonly AtPath<Filter>[]
  readonly logic: readonly AtPath<LogicTree>[]
  readonly order: readonly AtPath<readonly OrderTerm[]>[]
  readonly ranges: readonly AtPath<RowRange>[]
  readonly columns: readonly string[] | undefined
  readonly onConflict: readonly string[] | undefined
  /** Arguments of a function called with GET or HEAD, in order of appearance. */
  readonly args: readonly (readonly [name: string, value: string])[]
  /** Parameters sorted by name and encoded again, for `Content-Location`. */
  readonly canonical: string
}

export type Resource =
  /** The root path, which returns the API description. */
  | { readonly kind: 'schema' }
  | { readonly kind: 'relation'; readonly name: string }
  | { readonly kind: 'routine'; readonly name: string }

export type Action =
  | { readonly kind: 'read'; readonly relation: string; readonly headersOnly: boolean }
  | { readonly kind: 'mutate'; readonly relation: string; readonly mutation: 'create' | 'update' | 'put' | 'delete' }
  | { readonly kind: 'call'; readonly routine: string; readonly method: 'GET' | 'HEAD' | 'POST' }
  | { readonly kind: 'info'; readonly resource: Resource }
  | { readonly kind: 'inspect'; readonly headersOnly: boolean }

/** Rows or arguments as JSON text. Postgres parses it, so that numbers keep their precision. */
export interface RowsPayload {
  readonly kind: 'rows'
  /** Original format of the body; the text is always JSON. */
  readonly format: 'json' | 'csv' | 'form'
  readonly json: string | Utf8
  /** Whether the text is one object rather than an array. */
  readonly isObject: boolean
  /** Columns or arguments in the body, or those selected by `columns=`. */
  readonly columns: readonly string[]
}

/** Arguments from an HTML form. A variadic parameter may have several values. */
export interface FormPayload {
  readonly kind: 'form'
  readonly pairs: readonly (readonly [name: string, value: string])[]
  readonly columns: readonly string[]
}

/** A body with a single value, for a function's single unnamed parameter of that type. */
export interface WholePayload {
  readonly kind: 'whole'
  readonly type: 'text' | 'xml' | 'bytea'
  readonly bytes: Buffer
  readonly columns: readonly string[]
}

export type Payload = RowsPayload | FormPayload | WholePayload

export interface Preferences {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | undefined
  readonly representation: 'minimal' | 'representation' | 'headers-only' | undefined
  readonly count: 'exact' | 'planned' | 'estimated' | undefined
  readonly transaction: 'commit' | 'rollback' | undefined
  readonly missing: 'default' | 'null' | undefined
  readonly handling: 'strict' | 'lenient' | undefined
  readonly timezone: string | undefined
  readonly maxAffected: number | undefined
  /** Unknown preferences. */
  readonly invalid: readonly string[]
}

export type PlanOption = 'analyze' | 'verbose' | 'settings' | 'buffers' | 'wal'

export type MediaType =
  /** `name` is lowercase without parameters; `text` is as written. */
  | { readonly kind: 'named'; readonly name: string; readonly text: string }
  /** `application/vnd.pgrst.object+json` */
  | { readonly kind: 'object'; readonly stripped: boolean }
  /** `application/vnd.pgrst.array+json;nulls=stripped` */
  | { readonly kind: 'array-stripped' }
  /** `application/vnd.pgrst.plan+json; for="…"; options=analyze|verbose` */
  | {
      readonly kind: 'plan'
      readonly of: MediaType
      readonly format: 'json' | 'text'
      readonly options: readonly PlanOption[]
    }

/** A parsed request. Later stages never read the raw request. */
export interface ApiRequest {
  readonly action: Action
  readonly schema: string
  /** Whether several schemas are exposed, so that the response names the one used. */
  readonly schemaNegotiated: boolean
  readonly query: QueryParams
  /** Root range, combined from `limit`, `offset` and the `Range` header. */
  readonly range: RowRange
  readonly preferences: Preferences
  readonly payload: Payload | undefined
  /** Accepted media types, best first. */
  readonly accept: readonly MediaType[]
  readonly method: string
  /** Without the service prefix: `/tasks`. */
  readonly path: string
  /** Lowercase names; cookies are separate. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, string>>
}
