import type { JSX, SyntheticEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextVersions } from '../../components/fields/text-versions.tsx'
import type { TextsInConflict } from '../../lib/fields/settle-text.ts'
import { textMessages as words } from '../../messages/texts.ts'

export { settleText } from '../../lib/fields/settle-text.ts'

/** Asks about the text of a cell of which the same lines were changed elsewhere while the person wrote; nothing is saved before they choose. */
export function CellConflict({
  conflict: { mine, theirs, both },
  onChoose,
  onClose,
}: {
  readonly conflict: TextsInConflict
  readonly onChoose: (text: string) => void
  /** The person goes on writing. */
  readonly onClose: () => void
}): JSX.Element {
  return (
    // What happens in the dialog is none of the grid's keys and presses.
    <span className="contents" onKeyDown={stop} onPointerDown={stop} onDoubleClick={stop}>
      <Dialog
        title={words.changedMeanwhile}
        isOpen
        role="alertdialog"
        size="lg"
        onClose={onClose}
        actions={
          <>
            <Button onPress={() => onChoose(mine)}>{words.keepMine}</Button>
            <Button onPress={() => onChoose(theirs)}>{words.keepTheirs}</Button>
            <Button tone="primary" autoFocus onPress={() => onChoose(both)}>
              {words.keepBoth}
            </Button>
          </>
        }
      >
        <p className="pb-2">{words.changedDetail}</p>
        <TextVersions mine={{ title: words.yours, text: mine }} theirs={{ title: words.theirs, text: theirs }} />
      </Dialog>
    </span>
  )
}

function stop(event: SyntheticEvent): void {
  event.stopPropagation()
}
