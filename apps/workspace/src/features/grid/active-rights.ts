/** What the rules leave of one row, in words. */
export interface ActiveRights {
  /** Why a field cannot be changed to anything. */
  readonly fields: ReadonlyMap<string, string>
  /** Of fields with a choice that is refused. */
  readonly choices: ReadonlyMap<string, RefusedChoices>
}

export interface RefusedChoices {
  readonly choices: ReadonlySet<string>
  /** Which are missing from the list, and why; the one that is set stays in it. */
  readonly words: string | undefined
}
