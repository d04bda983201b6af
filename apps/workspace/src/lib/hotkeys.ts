/** Maximum time in ms between the keys of a pair such as `g h`. */
export const PAIR_MS = 1_200

/** A key pressed anywhere in the window. */
export interface KeyPress {
  /** Lowercase. */
  readonly key: string
  readonly atMs: number
  readonly modifiers: {
    /** `Cmd` on Apple devices, otherwise `Ctrl`. */
    readonly isMod: boolean
    readonly isMeta: boolean
    readonly isCtrl: boolean
    readonly isAlt: boolean
    readonly isShift: boolean
  }
  /** Whether the focused element uses letters: a field, menu, grid or dialog. */
  readonly isTaken: boolean
}

/** The first key of an incomplete pair. */
export type FirstKey = { readonly key: string; readonly atMs: number } | undefined

/**
 * Returns the hotkey completed by a press. Without `mod`, only if no element uses letters and letter shortcuts are enabled.
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
