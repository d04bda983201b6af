/** The text being typed into a cell. It outlives the editor, which remounts when its record moves to another row. */
export interface TypedCell {
  readonly text: string
  /** The cell's text when the edit began. */
  readonly seen: string
  readonly caret: readonly [start: number, end: number]
}

/** Stores the typed text of the open edit. */
export interface CellTyping {
  find(): TypedCell | undefined
  keep(typed: TypedCell): void
  drop(): void
}

export function createCellTyping(): CellTyping {
  let typed: TypedCell | undefined
  return {
    find: () => typed,
    keep(next) {
      typed = next
    },
    drop() {
      typed = undefined
    },
  }
}
