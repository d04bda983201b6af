/** What is being typed in a cell. It outlives the editor, which is made again when its record gets another row. */
export interface TypedCell {
  readonly text: string
  /** The text of the cell when the person began. */
  readonly seen: string
  readonly caret: readonly [start: number, end: number]
}

/** Where the typing of the open edit is kept. */
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
