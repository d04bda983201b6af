import type { JSX, SyntheticEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextVersions } from '../../components/fields/text-versions.tsx'
import type { TextsInConflict } from '../../lib/fields/settle-text.ts'
import { textMessages as words } from '../../messages/texts.ts'

export { settleText } from '../../lib/fields/settle-text.ts'

/** Asks which text to keep when the same lines of a cell were changed elsewhere during the edit. Nothing is saved until the user chooses. */
export function CellConflict({
  conflict: { mine, theirs, both },
  onChoose,
  onClose,
}: {
  readonly conflict: TextsInConflict
  readonly onChoose: (text: string) => void
  /** Called when the user continues editing. */
  readonly onClose: () => void
}): JSX.Element {
  return (
    // Keeps the dialog's key and pointer events from the grid.
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
