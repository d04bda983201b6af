/** Path of the write rules of the caller's role, below the server's URL (`GET`, with the user's token). */
export const WRITE_RULES_PATH = '/sync/v1/write-rules'

/** Type used to compare two values. The server omits comparisons that devices cannot reproduce exactly. */
export type RuleType = 'text' | 'integer' | 'decimal' | 'double' | 'uuid' | 'boolean' | 'date' | 'moment'

/** A value that a condition reads. */
export type RuleValue =
  /** A column of the written row, or of the row found by {@link RuleCondition} `row` number `of`. */
  | { readonly column: string; readonly of?: number }
  | { readonly text: string | null }
  /** A result that Postgres computed for the user. */
  | { readonly fact: string }
  /** The length of a text; a text without surrounding spaces, or without trailing ones; in lower case. */
  | { readonly call: 'length' | 'btrim' | 'rtrim' | 'lower'; readonly of: RuleValue }

/** The value of a column that a new row does not set. */
export type RuleDefault = Extract<RuleValue, { readonly text: unknown } | { readonly fact: unknown }>

export type RuleOperator = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'distinct' | 'not distinct'

export type RuleTest = 'null' | 'not null' | 'true' | 'not true' | 'false' | 'not false'

/** A condition of a policy in a form that devices can evaluate, with SQL's three-valued logic. */
export type RuleCondition =
  | { readonly is: 'and' | 'or'; readonly of: readonly RuleCondition[] }
  | { readonly is: 'not'; readonly of: RuleCondition }
  | { readonly is: 'test'; readonly test: RuleTest; readonly of: RuleCondition }
  | {
      readonly is: 'compare'
      readonly operator: RuleOperator
      readonly as: RuleType
      readonly left: RuleValue
      readonly right: RuleValue
      /** For decimals: digits after the point to which Postgres rounds. */
      readonly scale?: number
    }
  /** Whether a text contains another one. */
  | { readonly is: 'contains'; readonly value: RuleValue; readonly part: RuleValue }
  /** Whether the value is in the list of a fact. */
  | { readonly is: 'among'; readonly as: RuleType; readonly value: RuleValue; readonly fact: string }
  | { readonly is: 'null'; readonly value: RuleValue }
  /** A boolean value. */
  | { readonly is: 'value'; readonly value: RuleValue }
  | { readonly is: 'coalesce'; readonly of: readonly RuleCondition[] }
  | {
      readonly is: 'case'
      readonly whens: readonly { readonly when: RuleCondition; readonly value: RuleCondition }[]
      readonly otherwise: RuleCondition
    }
  /** Whether a row with this id exists and meets the condition. A row that is not on the device may exist. */
  | {
      readonly is: 'row'
      readonly number: number
      readonly table: string
      readonly as: RuleType
      readonly id: RuleValue
      readonly where: RuleCondition
    }
  | { readonly is: 'unknown' }

/** One policy. */
export interface RulePolicy {
  readonly name: string
  /** `COMMENT ON POLICY`. */
  readonly words?: string
  readonly when: RuleCondition
}

/** What row-level security requires of a row: one of the permissive policies and all of the restrictive ones. */
export interface RuleGate {
  readonly permissive: readonly RulePolicy[]
  readonly restrictive: readonly RulePolicy[]
}

/** A table's requirement for every row: a CHECK, or the length of a `varchar`. */
export interface RuleCheck {
  /** Name of the constraint; absent for a length. */
  readonly name?: string
  /** `COMMENT ON CONSTRAINT`. */
  readonly words?: string
  /** Maximum characters, for a length. */
  readonly length?: number
  /** Columns that the condition reads. */
  readonly columns: readonly string[]
  /** False refuses the row; NULL counts as met. */
  readonly when: RuleCondition
}

/** Permitted successors of each value: the rows of `holdfast.transitions` that a trigger enforces. */
export interface RuleTransitions {
  readonly column: string
  readonly from: readonly RuleSteps[]
  /** Whether new records may have any value. */
  readonly isAnyNew: boolean
  /** Tables on the device that contain the current transitions. */
  readonly reads: readonly string[]
}

/** Permitted successors of one value. */
export interface RuleSteps {
  /** `null` for a new record or an empty value. */
  readonly value: string | null
  /** Message for values that are not permitted. */
  readonly words: string
  readonly to: readonly {
    readonly value: string
    /** Absent if the step is permitted for everyone. */
    readonly when?: RuleCondition
    /** Message if `when` is not true. */
    readonly words: string
  }[]
}

/** Rules for one command on one table. */
export interface CommandRules {
  /** Columns that the role may write; absent if all. */
  readonly columns?: readonly string[]
  /** Required of the current row. */
  readonly using?: RuleGate
  /** Required of the new row. */
  readonly check?: RuleGate
  /** Columns that the database may set before the check, or `'*'`. */
  readonly set: readonly string[] | '*'
  /** Columns that the database fills in if empty. */
  readonly filled: readonly string[]
  /** Columns that must not be NULL, unless the database supplies a value. */
  readonly required?: readonly string[]
  /** Values that empty columns of new rows get. `null`: not known in advance; unlisted columns stay NULL. Earlier servers send none. */
  readonly defaults?: Readonly<Record<string, RuleDefault | null>>
  readonly checks?: readonly RuleCheck[]
  readonly transitions?: readonly RuleTransitions[]
}

export type WriteCommand = 'insert' | 'update' | 'delete'

export type TableRules = Readonly<Partial<Record<WriteCommand, CommandRules>>>

/** A value or list that depends only on the user, evaluated by Postgres as the user. */
export interface RuleFact {
  readonly value: string | null | readonly (string | null)[]
  /** Tables on the device whose changes may affect it. */
  readonly reads: readonly string[]
}

/** The write policies for one user. */
export interface WriteRules {
  /** Changes with any content below. */
  readonly version: string
  /** By local name. Writes to unlisted tables are not checked. */
  readonly tables: Readonly<Record<string, TableRules>>
  /** Unlisted facts could not be evaluated. */
  readonly facts: Readonly<Record<string, RuleFact>>
}
