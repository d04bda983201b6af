/* The planner's view of the database, built by `catalog-view.ts` from the catalog of `@holdfast/postgres`. */

export interface RestColumn {
  readonly name: string
  /** From `format_type`: `character varying(20)`, `jsonb`, `public.mood`. */
  readonly type: string
  /** Base type without modifiers. */
  readonly baseType: string
  /** SQL of what a missing value becomes: the default, or the next value of an identity column's sequence. */
  readonly defaultSql: string | undefined
  /** Quoted names of the functions that represent a domain, where there are any. */
  readonly representation: RestRepresentation
}

/** @see PostgREST reference, "Domain Representations" */
export interface RestRepresentation {
  /** Makes JSON of a value, for answers. */
  readonly toJson?: string
  /** Makes a value of JSON, for payloads. */
  readonly fromJson?: string
  /** Makes a value of the text of a filter. */
  readonly fromText?: string
}

export interface RestRelation {
  readonly schema: string
  readonly name: string
  readonly columns: ReadonlyMap<string, RestColumn>
  /** Columns of the primary key in key order, of a view those that are keys of its tables; empty for none. */
  readonly primaryKey: readonly string[]
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
}

/** One step from a relation to another one. */
export type RestRelationship = RestKeyRelationship | RestComputedRelationship

/** A step over a foreign key, in either direction, or over a table between. */
export interface RestKeyRelationship {
  readonly kind: 'key'
  readonly cardinality: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many'
  /** Name of the foreign key; empty for many-to-many. */
  readonly constraint: string
  readonly from: { readonly schema: string; readonly name: string }
  readonly to: { readonly schema: string; readonly name: string }
  /** Whether `to` is a view, which neither the foreign key nor its column names. */
  readonly toIsView: boolean
  /** Columns of `from`, and those of `to` (or of the junction) that they equal, in the same order. */
  readonly columns: readonly { readonly from: string; readonly to: string }[]
  readonly junction:
    | {
        readonly schema: string
        readonly name: string
        /** The foreign keys of the junction to `from` and to `to`. */
        readonly constraints: readonly [string, string]
        /** Columns of the junction, and those of `to` that they equal. */
        readonly columns: readonly { readonly from: string; readonly to: string }[]
      }
    | undefined
}

/** A function that takes a row of `from` and returns rows of `to`. */
export interface RestComputedRelationship {
  readonly kind: 'computed'
  readonly cardinality: 'many-to-one' | 'one-to-many'
  readonly function: { readonly schema: string; readonly name: string }
  readonly from: { readonly schema: string; readonly name: string }
  readonly to: { readonly schema: string; readonly name: string }
}

export interface RestParameter {
  /** Empty when the function gives it no name. */
  readonly name: string
  readonly type: string
  readonly hasDefault: boolean
  readonly variadic: boolean
}

export interface RestRoutine {
  readonly schema: string
  readonly name: string
  /** Input parameters in order. */
  readonly parameters: readonly RestParameter[]
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  readonly returnsSet: boolean
  /** `composite` covers row types and `OUT`/`TABLE` columns. */
  readonly returns: 'void' | 'scalar' | 'composite'
  /** The relation whose row type is returned, so that results can embed its relationships. */
  readonly returnsRelation: { readonly schema: string; readonly name: string } | undefined
  /** `alter function … set …`, of which some have to be set before the statement that calls it. */
  readonly settings: Readonly<Record<string, string>>
}

/** Makes a media type of rows. */
export interface RestMediaHandler {
  /** Of the aggregate; for a function, of the returned domain. */
  readonly schema: string
  readonly name: string
  /** Lowercase: `image/png`, or `*` + `/*` for any. */
  readonly mediaType: string
  /** Whether it makes bytes rather than text. */
  readonly binary: boolean
  /** Rows it applies to. `any` stands for every relation; its names are empty. */
  readonly target: { readonly kind: 'relation' | 'routine' | 'any'; readonly schema: string; readonly name: string }
}

export interface RestCatalog {
  relation(schema: string, name: string): RestRelation | undefined
  relationNames(schema: string): readonly string[]
  /** Everything that can be embedded in a relation; computed relationships have replaced others of their name. */
  relationships(schema: string, name: string): readonly RestRelationship[]
  /** All functions of that name. */
  routines(schema: string, name: string): readonly RestRoutine[]
  routineNames(schema: string): readonly string[]
  mediaHandlers(target: RestMediaHandler['target']): readonly RestMediaHandler[]
  /** PostGIS's function that makes GeoJSON of a row. */
  readonly geoJsonFunction: { readonly schema: string; readonly name: string } | undefined
}
