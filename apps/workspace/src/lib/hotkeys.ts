/** Maximum time in ms between the keys of a pair such as `g h`. */
export const PAIR_MS = 1_200

/** A key pressed anywhere in the window. */
export interface KeyPress {
  /** In small letters. */
  readonly key: string
  readonly atMs: number
  readonly modifiers: {
    /** `Cmd` on Apple's machines, `Ctrl` on others. */
    readonly isMod: boolean
    readonly isMeta: boolean
    readonly isCtrl: boolean
    readonly isAlt: boolean
    readonly isShift: boolean
  }
  /** Whether letters belong to the focused element: a field, a menu, a grid, a dialog. */
  readonly isTaken: boolean
}

/** The first key of a pair, until the second one comes. */
export type FirstKey = { readonly key: string; readonly atMs: number } | undefined

/**
 * The hotkey that a press completes. Without `mod` there are hotkeys only while no element takes the letters and the person has not switched them off.
 *
 * @param isBound - whether a name such as `mod+k`, `g h` or `?` has a handler
 */
export function readHotkey(
  first: FirstKey,
  { key, atMs, modifiers, isTaken }: KeyPress,
  { hasLetters, isBound }: { readonly hasLetters: boolean; readonly isBound: (name: string) => boolean },
): { readonly name: string | undefined; readonly first: FirstKey } {
  const { isMod, isMeta, isCtrl, isAlt, isShift } = modifiers
  if (isMod && !isAlt && !isShift) return { name: bound(`mod+${key}`), first }
  if (!hasLetters || isMeta || isCtrl || isAlt || isTaken) return { name: undefined, first }
  const pair = first && atMs - first.atMs < PAIR_MS ? `${first.key} ${key}` : undefined
  if (pair !== undefined && isBound(pair)) return { name: pair, first: undefined }
  return { name: bound(key), first: { key, atMs } }

  function bound(name: string): string | undefined {
    return isBound(name) ? name : undefined
  }
}
