/** A function in PL/pgSQL, as far as its queries depend on it. */
export interface Procedure {
  readonly name: string
  /** The statement that creates it. */
  readonly procedure: string
  readonly argNames: readonly string[]
  /** Types of the input arguments as `format_type` prints them. */
  readonly argTypeNames: readonly string[]
}
