import { modKey } from '../lib/shortcuts.ts'
import { shortcutMessages as words } from '../messages/shortcuts.ts'

/** A shortcut list entry. `keys` are alternatives; sequential keys are separated by spaces. */
export interface Shortcut {
  readonly keys: readonly string[]
  readonly does: string
}

/** Returns all shortcuts in groups, with this keyboard's modifier key. */
export function shortcutGroups(): readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] {
  const mod = modKey()
  return [
    {
      title: words.everywhere,
      shortcuts: [
        { keys: [`${mod}+K`], does: words.palette },
        { keys: [`${mod}+/`, '?'], does: words.shortcuts },
        { keys: ['/'], does: words.search },
        { keys: ['G H'], does: words.home },
        { keys: ['G M'], does: words.myWork },
        { keys: ['G I'], does: words.inbox },
        { keys: ['G S'], does: words.searchAll },
        { keys: ['G T'], does: words.goToTable },
        { keys: ['G Y'], does: words.syncCentre },
        { keys: [`${mod}+S`], does: words.save },
        { keys: ['Esc'], does: words.escape },
      ],
    },
    {
      title: words.table,
      shortcuts: [
        { keys: ['↑ ↓ ← →', 'Home', 'End', 'PgUp', 'PgDn'], does: words.move },
        { keys: ['Enter', 'F2'], does: words.edit },
        { keys: ['Tab'], does: words.tab },
        { keys: ['Esc'], does: words.leave },
        { keys: ['Space'], does: words.panel },
        { keys: [`${mod}+Enter`], does: words.page },
        { keys: ['C'], does: words.newRecord },
        { keys: ['Shift+↑', 'Shift+Space', `${mod}+Space`], does: words.select },
        { keys: ['Shift+Space', 'Space'], does: words.check },
        { keys: [`${mod}+C`, `${mod}+X`, `${mod}+V`], does: words.clipboard },
        { keys: [`${mod}+D`], does: words.fill },
        { keys: ['Delete'], does: words.clear },
        { keys: [`${mod}+Backspace`], does: words.delete },
        { keys: ['Shift+F10'], does: words.menu },
        { keys: ['Shift+←', 'Shift+→'], does: words.groups },
        { keys: [`${mod}+Z`], does: words.undo },
        { keys: [`${mod}+Shift+Z`, `${mod}+Y`], does: words.redo },
        { keys: ['Alt+↑', 'Alt+↓'], does: words.neighbours },
      ],
    },
  ]
}
