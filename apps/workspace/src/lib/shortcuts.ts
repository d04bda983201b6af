/** One line of the shortcut list. `keys` are alternatives; keys pressed one after another are separated by a space. */
export interface Shortcut {
  readonly keys: readonly string[]
  readonly does: string
}

/** `⌘` on Apple keyboards, else `Ctrl`. */
export function modKey(): string {
  return isApple() ? '⌘' : 'Ctrl'
}

export function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent)
}

/** All shortcuts of this version, in groups, with this keyboard's modifier key. */
export function shortcutGroups(): readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] {
  const mod = modKey()
  return [
    {
      title: 'Everywhere',
      shortcuts: [
        { keys: [`${mod}+K`], does: 'Search, go to a table or screen, run a command' },
        { keys: [`${mod}+/`, '?'], does: 'Show the shortcuts' },
        { keys: ['/'], does: 'Search' },
        { keys: ['G H'], does: 'Go home' },
        { keys: ['G S'], does: 'Search all records and comments' },
        { keys: ['G T'], does: 'Go to a table' },
        { keys: ['G Y'], does: 'Go to the Sync centre' },
        { keys: [`${mod}+S`], does: 'Say which changes are kept here and which the server has accepted' },
        { keys: ['Esc'], does: 'Close the innermost layer' },
      ],
    },
    {
      title: 'Table',
      shortcuts: [
        { keys: ['↑ ↓ ← →', 'Home', 'End', 'PgUp', 'PgDn'], does: 'Move the active cell' },
        { keys: ['Enter', 'F2'], does: 'Edit the cell; again to keep and move down' },
        { keys: ['Tab'], does: 'Keep and move right' },
        { keys: ['Esc'], does: 'Leave the cell as it was' },
        { keys: ['Space'], does: 'Open or close the record panel' },
        { keys: [`${mod}+Enter`], does: 'Open the record on its own page' },
        { keys: ['C'], does: 'New record' },
        { keys: ['Shift+↑', 'Shift+Space', `${mod}+Space`], does: 'Select more cells, the row, the column' },
        { keys: [`${mod}+C`, `${mod}+X`, `${mod}+V`], does: 'Copy, cut, paste' },
        { keys: [`${mod}+D`], does: 'Fill down' },
        { keys: ['Delete'], does: 'Clear the selected cells' },
        { keys: [`${mod}+Backspace`], does: 'Delete the selected records' },
        { keys: [`${mod}+Z`], does: 'Undo' },
        { keys: [`${mod}+Shift+Z`, `${mod}+Y`], does: 'Redo' },
        { keys: ['Alt+↑', 'Alt+↓'], does: 'Previous or next record while one is open' },
      ],
    },
  ]
}
