/** Path of the write rules of the caller's role, below the server's address (`GET`, with the person's token). */
export const WRITE_RULES_PATH = '/sync/v1/write-rules'

/** How two values are compared. Types whose comparison a device cannot repeat exactly are left out by the server. */
export type RuleType = 'text' | 'integer' | 'decimal' | 'double' | 'uuid' | 'boolean' | 'date'

/** A value that a condition reads. */
export type RuleValue =
  /** A column of the row that is written, or of the row that {@link RuleCondition} `row` number `of` found. */
  | { readonly column: string; readonly of?: number }
  | { readonly text: string | null }
  /** What Postgres answered for the person. */
  | { readonly fact: string }
  /** Characters of a text; a text without the spaces around it, or after it. */
  | { readonly call: 'length' | 'btrim' | 'rtrim'; readonly of: RuleValue }

/** The value of a column that a new row is given none for. */
export type RuleDefault = Extract<RuleValue, { readonly text: unknown } | { readonly fact: unknown }>

export type RuleOperator = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'distinct' | 'not distinct'

export type RuleTest = 'null' | 'not null' | 'true' | 'not true' | 'false' | 'not false'

/** A condition of a policy in the form in which a device evaluates it, with the three-valued logic of SQL. */
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
      /** Of decimals: Postgres rounds what has more digits after the point. */
      readonly scale?: number
    }
  /** The value is among those of a fact that is a list. */
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
  /** There is a row with this id, and it meets the condition. A row that is not on the device may exist. */
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

/** What row-level security asks of a row: one of the permissive policies, and all of the restrictive ones. */
export interface RuleGate {
  readonly permissive: readonly RulePolicy[]
  readonly restrictive: readonly RulePolicy[]
}

/** What a table asks of every row, whoever writes it: a CHECK, or the length of a `varchar`. */
export interface RuleCheck {
  /** Of the constraint; left out of a length. */
  readonly name?: string
  /** `COMMENT ON CONSTRAINT`. */
  readonly words?: string
  /** The most characters, of a length. */
  readonly length?: number
  /** Columns that it reads. */
  readonly columns: readonly string[]
  /** A row is refused for which it is false; NULL counts as met. */
  readonly when: RuleCondition
}

/** Which value of a column may follow which: the rows of `holdfast.transitions` that a trigger enforces. */
export interface RuleTransitions {
  readonly column: string
  readonly from: readonly RuleSteps[]
  /** Values of a new record are left alone. */
  readonly isAnyNew: boolean
  /** Tables on the device that say the same, later. */
  readonly reads: readonly string[]
}

/** What may follow one value. */
export interface RuleSteps {
  /** `null`: of a new record, or of one that has no value yet. */
  readonly value: string | null
  /** Why nothing else may follow it. */
  readonly words: string
  readonly to: readonly {
    readonly value: string
    /** Left out: for everyone. */
    readonly when?: RuleCondition
    /** Why not, when that is not true. */
    readonly words: string
  }[]
}

/** Rules for one command on one table. */
export interface CommandRules {
  /** Columns that the role may write, where that is not all of them. */
  readonly columns?: readonly string[]
  /** Of the row as it is. */
  readonly using?: RuleGate
  /** Of the row as it will be. */
  readonly check?: RuleGate
  /** Columns that the database may set before the check, or `'*'`. */
  readonly set: readonly string[] | '*'
  /** Columns that the database fills in where they are empty. */
  readonly filled: readonly string[]
  /** Columns that may not be NULL, unless the database gives them a value. */
  readonly required?: readonly string[]
  /**
   * Of new rows: what a column gets that is left empty. `null`: a value that is not known before; a column that is not named stays NULL. Servers of before tell
   * none.
   */
  readonly defaults?: Readonly<Record<string, RuleDefault | null>>
  readonly checks?: readonly RuleCheck[]
  readonly transitions?: readonly RuleTransitions[]
}

export type WriteCommand = 'insert' | 'update' | 'delete'

export type TableRules = Readonly<Partial<Record<WriteCommand, CommandRules>>>

/** A value, or a list of values, that follows from the person alone, evaluated by Postgres as the person. */
export interface RuleFact {
  readonly value: string | null | readonly (string | null)[]
  /** Tables on the device whose changes may change it. */
  readonly reads: readonly string[]
}

/** What the policies for writing say, for one person. */
export interface WriteRules {
  /** Changes whenever anything below does. */
  readonly version: string
  /** By local name. A table that is not named is not judged. */
  readonly tables: Readonly<Record<string, TableRules>>
  /** A fact that is not named could not be evaluated. */
  readonly facts: Readonly<Record<string, RuleFact>>
}
