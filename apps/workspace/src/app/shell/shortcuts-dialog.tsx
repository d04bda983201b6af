import type { JSX } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { ShortcutList } from '../../components/shortcut-list.tsx'
import { shortcutGroups } from '../../components/shortcut-groups.ts'
import { shellMessages as words } from '../../messages/shell.ts'

/** Lists the shortcuts over the current screen. */
export function ShortcutsDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={words.shortcuts} isOpen={isOpen} onClose={onClose} size="md">
      <ShortcutList groups={shortcutGroups()} />
    </Dialog>
  )
}
